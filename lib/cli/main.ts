#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agents, doctor, sockets } from '../index.js';
import { run } from './run.js';

function ownVersion(): string {
  // dist/cli/ and lib/cli/ are both two folders below the package's own.
  const text = readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader went away (`| head`): nobody is left to tell.
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
}

void run(process.argv.slice(2), {
  api: { agents, doctor, sockets },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  version: ownVersion(),
}).then((code) => {
  // Not process.exit(): a pipe may still have to take the text.
  process.exitCode = code;
});
