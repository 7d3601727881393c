// Reads what a fixture needs of each process. Everything here can wait as long as the process it reads
// from is stuck in the kernel (`cmdline`, `environ`, `maps`); this is a program that a person runs and
// can interrupt, so it has no deadline. No link is followed: they are read, never opened.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const MOST_ENTRIES = 4_096;
const MOST_BYTES = 1 << 20;

function attempt(read) {
  try {
    return read();
  } catch (error) {
    // Denied or gone: the fixture lacks it, as the machine did for whoever captured.
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'EINVAL', 'ENOTDIR'].includes(error.code)) return undefined;
    throw error;
  }
}

const textOf = (path) => attempt(() => readFileSync(path, 'utf8').slice(0, MOST_BYTES));
const linkOf = (path) => attempt(() => readlinkSync(path));
const partsOf = (text) => (text === '' ? [] : text.replace(/\0+$/, '').split('\0'));

/** One process as named texts and links, redacted; undefined when it ended meanwhile. */
export function readProcess(root, pid, redact, { keepArguments, envKeys, withMaps }) {
  const at = (name) => `${root}/${pid}/${name}`;
  const files = {};
  const links = {};
  const put = (name, text, change) => {
    if (text !== undefined) files[name] = change(text);
  };
  const stat = textOf(at('stat'));
  if (stat === undefined) return undefined;
  put('stat', stat, redact.stat);
  put('status', textOf(at('status')), redact.status);
  put('comm', textOf(at('comm')), redact.text);
  put('cgroup', textOf(at('cgroup')), redact.text);
  put('cmdline', textOf(at('cmdline')), (text) =>
    redact
      .argv(partsOf(text), keepArguments)
      .map((argument) => `${argument}\0`)
      .join(''),
  );
  put('environ', textOf(at('environ')), (text) =>
    redact
      .environ(partsOf(text), envKeys)
      .map((entry) => `${entry}\0`)
      .join(''),
  );
  if (withMaps) put('maps', textOf(at('maps')), redact.maps);
  for (const name of ['cwd', 'exe', 'root', 'ns/pid']) {
    const link = linkOf(at(name));
    if (link !== undefined) links[name] = redact.text(link);
  }
  const numbers = attempt(() => readdirSync(at('fd')));
  for (const fd of (numbers ?? []).slice(0, MOST_ENTRIES)) {
    const link = linkOf(at(`fd/${fd}`));
    if (link === undefined) continue;
    links[`fd/${fd}`] = redact.text(link);
    put(`fdinfo/${fd}`, textOf(at(`fdinfo/${fd}`)), redact.text);
  }
  return { pid, files, links, folders: numbers === undefined ? [] : ['fd', 'fdinfo'] };
}

/** What a table says beside its processes. The boot id would tell machines apart: a fixed one stands in. */
export function readMachine(root) {
  const btime = /^btime \d+$/m.exec(textOf(`${root}/stat`) ?? '')?.[0];
  const drivers = textOf(`${root}/tty/drivers`);
  return {
    'sys/kernel/random/boot_id': '00000000-0000-4000-8000-000000000000\n',
    ...(btime === undefined ? {} : { stat: `${btime}\n` }),
    ...(drivers === undefined ? {} : { 'tty/drivers': drivers }),
  };
}
