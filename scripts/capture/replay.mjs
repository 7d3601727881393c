// The same processes as `replay.json`: what `procscope agents --replay DIR` judges, on any system. See docs/replay.md.
import { lstatSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';

const FIELDS = ['uid', 'user', 'argv', 'exe', 'cwd', 'nspid', 'pidNamespace'];
const NUMBERS = ['ppid', 'pgid', 'sid', 'tpgid', 'uid', 'pidNamespace', 'startTime'];
const TEXTS = ['user', 'name', 'exe', 'cwd'];
const MOST_BYTES = 64 * 1024;
/** Of a record of a process: what its rule compares or shows. Texts go through the redaction. */
const RECORD_KEYS = [
  'pid',
  'sessionId',
  'procStart',
  'kind',
  'status',
  'statusUpdatedAt',
  'updatedAt',
  'waitingFor',
  'version',
];

/** A key that is left out says that nobody could look: JSON drops what is undefined. */
function processOf(row, openFiles, redact, how) {
  const faults = {};
  for (const field of FIELDS) {
    const fault = row.fault(field);
    if (fault) faults[field] = { ...fault, path: redact.text(fault.path) };
  }
  const text = (value) => (typeof value === 'string' ? redact.text(value) : value);
  const env =
    row.env &&
    Object.fromEntries(
      Object.entries(row.env)
        .filter(([key]) => how.envKeys.includes(key))
        .map(([key, value]) => [
          key,
          value === null ? null : (redact.environ([`${key}=${value}`], [key])[0] ?? '').slice(key.length + 1),
        ]),
    );
  return {
    pid: row.pid,
    ...Object.fromEntries(NUMBERS.map((name) => [name, row[name]])),
    ...Object.fromEntries(TEXTS.map((name) => [name, text(row[name])])),
    startKey: row.startKey?.toString(),
    tty: row.tty,
    state: row.state,
    argv: row.argv && redact.argv(row.argv, how.keepArguments),
    nspid: row.nspid,
    env,
    openFiles,
    ...(Object.keys(faults).length > 0 ? { faults } : {}),
  };
}

function openFilesOf(rows, redact) {
  const list = [...rows];
  if (list.some(({ fd }) => fd === null)) return undefined;
  return list.flatMap(({ path, kind, deleted, locks }) => {
    if (path === undefined) return [];
    const flocked = locks?.some(({ type, mode }) => type === 'FLOCK' && mode === 'write') ?? false;
    return [{ path: redact.text(path), kind, deleted: deleted ?? false, ...(flocked ? { flocked } : {}) }];
  });
}

/** The text of a record, of which only known keys are kept; undefined = it is none, or not for us. */
function recordText(path, redact) {
  try {
    const status = lstatSync(path);
    if (!status.isFile() || status.size > MOST_BYTES) return undefined;
    const record = JSON.parse(readFileSync(path, 'utf8'));
    const kept = RECORD_KEYS.filter((key) => ['string', 'number'].includes(typeof record[key])).map((key) => [
      key,
      typeof record[key] === 'string' ? redact.text(record[key]) : record[key],
    ]);
    const namespace = /pid:\[\d+\]$/.exec(String(record.pidDomain ?? ''))?.[0];
    return JSON.stringify({
      ...Object.fromEntries(kept),
      ...(namespace ? { pidDomain: `linux:0:${namespace}` } : {}),
    });
  } catch {
    // Gone, denied, or no JSON: its name alone is kept.
    return undefined;
  }
}

function filesOf(paths, pids, redact) {
  return paths.map((path) => {
    const { uid, mtimeMs } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
    const isRecord = pids.some((pid) => basename(path) === `${pid}.json`);
    return { path: redact.text(path), text: isRecord ? recordText(path, redact) : undefined, uid, mtimeMs };
  });
}

/** Where the entry script of a process leads: a global install of npm is a link. */
function linksOf(explanations, redact) {
  const found = explanations.flatMap(({ facts }) => {
    const { script, cwd } = facts ?? {};
    if (!script) return [];
    const path = isAbsolute(script.arg) ? script.arg : join(cwd ?? '/', script.arg);
    return path === script.real ? [] : [[redact.text(path), redact.text(script.real)]];
  });
  return Object.fromEntries(found);
}

/** `sessions`: paths of session files as they are. */
export async function readReplayOf(pids, sessions, redact, how, { snapshot, openFiles, explainAgent }) {
  const rows = [...snapshot({ pids, fields: FIELDS, env: how.envKeys })];
  const files = await openFiles(pids, {
    roles: ['fd'],
    kinds: ['file', 'directory'],
    fields: ['path', 'stat', 'locks'],
  });
  const byPid = new Map();
  for (const file of files) byPid.set(file.pid, [...(byPid.get(file.pid) ?? []), file]);
  const explanations = [];
  for (const pid of pids) explanations.push(await explainAgent(pid));
  return {
    format: 1,
    system: process.platform,
    now: Date.now(),
    processes: rows.map((row) => processOf(row, openFilesOf(byPid.get(row.pid) ?? [], redact), redact, how)),
    files: filesOf(sessions, pids, redact),
    links: linksOf(explanations, redact),
  };
}
