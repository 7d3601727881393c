// Runs in a pane: raw terminal, no echo; writes what it reads to a file. `bracketed` asks for bracketed paste.
import { appendFileSync, writeFileSync } from 'node:fs';

const [file, mode] = process.argv.slice(2);
process.stdin.setRawMode(true);
if (mode === 'bracketed') process.stdout.write('\x1b[?2004h');
process.stdin.on('data', (chunk) => appendFileSync(file, chunk));
writeFileSync(file, '');
process.stdout.write('ready\n');
