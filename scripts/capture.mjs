// Turns processes into a redacted fixture for a bug report:
//   npm run capture -- PID [--out DIR]        a process and all below it
//   npm run capture -- --pids 12,34           exactly these
// Further: --env KEY (repeated) also records that the key was set; --maps adds mapped files;
// --keep-args keeps arguments, without homes, names, and what looks like a secret or is called one: a password
// that stands there as a mere word stays.
// The folder is what `procRoot` takes: procscope tree --proc-root DIR. Its replay.json is what the rules are run on
// again, on any system: procscope agents --replay DIR. Read it before you post it.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readMachine, readProcess } from './capture/read.mjs';
import { ENV_KEYS, redaction } from './capture/redact.mjs';
import { readReplayOf } from './capture/replay.mjs';
import { sessionFiles } from './capture/sessions.mjs';
import { fail, top } from './tools.mjs';

const ROOT = '/proc';
/** Below this, accounts belong to the system and name nobody. passwd(5), login.defs(5). */
const FIRST_PERSON = 1000;

function arguments_() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        pids: { type: 'string' },
        env: { type: 'string', multiple: true, default: [] },
        maps: { type: 'boolean', default: false },
        'keep-args': { type: 'boolean', default: false },
      },
    });
    const pids = values.pids?.split(',') ?? positionals;
    const whole = pids.every((pid) => /^[1-9]\d{0,9}$/.test(pid));
    if (!whole || pids.length === 0 || (values.pids === undefined) !== (positionals.length === 1)) {
      return fail('usage: capture PID | --pids N,N [--out DIR] [--env KEY] [--maps] [--keep-args]');
    }
    return { ...values, exactly: values.pids !== undefined, pids: pids.map(Number) };
  } catch (error) {
    return fail(error.message);
  }
}

/** Everybody with an account here, so that no name of theirs is left in a path. */
function names() {
  const own = userInfo().username;
  const people = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([name, , uid]) => name !== own && Number(uid) >= FIRST_PERSON);
  const host = hostname();
  return {
    homes: [homedir(), ...people.map((fields) => fields[5] ?? '')],
    user: own,
    otherUsers: people.map(([name]) => name),
    hosts: [host, host.split('.')[0]],
  };
}

function write(folder, { pid, files, links, folders }) {
  const base = join(folder, String(pid));
  for (const name of folders) mkdirSync(join(base, name), { recursive: true });
  for (const [name, text] of Object.entries(files)) put(join(base, name), text);
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(dirname(join(base, name)), { recursive: true });
    symlinkSync(target, join(base, name));
  }
}

function put(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Texts of other processes must not drive the terminal, here as little as elsewhere. */
const shown = (text) => JSON.stringify(text).slice(1, -1);

function report({ pid, files, links }) {
  const list = (name) =>
    (files[name] ?? '')
      .split('\0')
      .filter((part) => part !== '')
      .map(shown);
  const open = Object.entries(links).filter(([name]) => name.startsWith('fd/'));
  console.log(`${pid}  ${shown((files.comm ?? '?').trimEnd())}`);
  console.log(`  argv     ${list('cmdline').join(' ')}`);
  for (const name of ['cwd', 'exe', 'root'])
    if (links[name]) console.log(`  ${name.padEnd(8)} ${shown(links[name])}`);
  if (files.cgroup) console.log(`  cgroup   ${shown(files.cgroup.trimEnd())}`);
  for (const entry of list('environ')) console.log(`  environ  ${entry}`);
  for (const target of new Set(open.map(([, link]) => link))) console.log(`  open     ${shown(target)}`);
}

async function main() {
  if (process.platform !== 'linux') fail('Only the process files of Linux can be captured.');
  const asked = arguments_();
  const built = join(top, 'dist/index.js');
  if (!existsSync(built)) fail('dist/ is not built: npm run build');
  const api = (await import(built)).default;
  const { agents, snapshot } = api;
  const table = snapshot();
  const pids = asked.exactly
    ? asked.pids
    : [...asked.pids, ...table.descendants(asked.pids[0]).map(({ pid }) => pid)].filter(
        (pid) => pid !== process.pid,
      );
  const out = resolve(asked.out ?? `capture-${asked.pids[0]}`);
  if (existsSync(out)) fail(`${out} is there already: name another folder with --out`);

  const redact = redaction(names());
  const how = {
    keepArguments: asked['keep-args'],
    envKeys: [...ENV_KEYS, ...asked.env],
    withMaps: asked.maps,
  };
  const captured = pids.map((pid) => readProcess(ROOT, pid, redact, how)).filter((one) => one !== undefined);
  if (captured.length === 0) fail('None of these processes is there.');
  const found = (await agents({ all: true })).agents.filter(({ pid }) => pids.includes(pid));
  const paths = sessionFiles(found);
  const sessions = paths.map(redact.text);
  const kept = captured.map(({ pid }) => pid);
  const replay = await readReplayOf(kept, paths, redact, how, api);

  mkdirSync(out, { recursive: true });
  for (const [name, text] of Object.entries(readMachine(ROOT))) put(join(out, name), text);
  for (const one of captured) write(out, one);
  put(join(out, 'replay.json'), `${JSON.stringify(replay, null, 2)}\n`);
  for (const path of sessions) put(join(out, 'session-files', path), '');

  console.log('What was kept:\n');
  for (const one of captured) report(one);
  for (const path of sessions) console.log(`session file  ${shown(path)}`);
  console.log(`\n${captured.length} of ${pids.length} processes in ${out}\nRead it before you post it.`);
}

await main();
