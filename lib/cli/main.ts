#!/usr/bin/env node
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as procscope from '../index.js';
import { run } from './run.js';

function ownVersion(): string {
  // dist/cli/ and lib/cli/ are both two folders below the package's own.
  const text = readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** What was read may be more than `most` bytes by a part of what came last: it tells that there is more. */
async function readInput(most: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    if (length > most) break;
  }
  return Buffer.concat(parts);
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader went away (`| head`): nobody is left to tell.
    if (error.code === 'EPIPE') process.exit();
    // A full disk, a closed terminal. Where even the message cannot go, the exit code must do.
    try {
      writeSync(2, `procscope: the output could not be written: ${error.code ?? error.message}\n`);
    } catch {}
    process.exit(1);
  });
}

void run(process.argv.slice(2), {
  api: procscope,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  version: ownVersion(),
  // Only for as long as somebody listens: elsewhere an interrupt ends the program at once.
  onInterrupt: (listener) => {
    process.once('SIGINT', listener);
    return () => process.off('SIGINT', listener);
  },
  onResize: (listener) => {
    process.stdout.on('resize', listener);
    return () => process.stdout.off('resize', listener);
  },
  readInput,
}).then((code) => {
  // Not process.exit(): a pipe may still have to take the text.
  process.exitCode = code;
});
