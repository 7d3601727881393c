import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface StartOptions {
  /** Environment added to this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A situation that stands until `end()`, or until this process dies. */
export interface Situation {
  /** The maker itself; the process to look at is often another one, named in `words`. */
  readonly pid: number;
  /** What followed `ready`, split at single spaces. */
  readonly words: readonly string[];
  /** The number in `words[index]`. */
  number(index: number): number;
  /** The next line that the maker prints. */
  nextLine(): Promise<string>;
  /** Sends one command line and waits for the line that answers it. */
  send(command: string): Promise<string>;
  /** Closes the maker's input and waits until it ended; an unclean end is an error. */
  end(): Promise<void>;
}

/** Starts a maker, compiled first where needed, and waits until its situation stands. */
export async function startMaker(
  name: string,
  args: readonly string[] = [],
  options: StartOptions = {},
): Promise<Situation> {
  const { maker } = await import('./build.mjs');
  const child = spawn(maker(name), args, { ...options, env: { ...process.env, ...options.env } });
  return situationOf(name, child);
}

async function situationOf(name: string, child: ChildProcessWithoutNullStreams): Promise<Situation> {
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

  const nextLine = async (): Promise<string> => {
    const line = await lines.next();
    if (!line.done) return line.value;
    await closed;
    throw new Error(`the maker ${name} ended: ${complaint.trim() || `code ${child.exitCode}`}`);
  };
  const end = async (): Promise<void> => {
    child.stdin.end();
    await closed;
    if (child.exitCode !== 0) {
      throw new Error(
        `the maker ${name} ended with ${child.signalCode ?? child.exitCode}: ${complaint.trim()}`,
      );
    }
  };

  const [first, ...words] = (await nextLine()).split(' ');
  if (first !== 'ready' || child.pid === undefined) {
    child.stdin.end();
    throw new Error(`the maker ${name} said ${first}`);
  }
  return {
    pid: child.pid,
    words,
    number: (index) => Number(words[index]),
    nextLine,
    send: (command) => {
      child.stdin.write(`${command}\n`);
      return nextLine();
    },
    end,
  };
}
