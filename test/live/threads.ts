import { readdirSync, readFileSync } from 'node:fs';

/**
 * The text of two functions for a script that runs in a Node of its own. `ours()` counts the threads of the library, by
 * their name. `untilOurs(count)` waits until there are so many; while there are more it never ends, and the test runs out
 * of time.
 */
export const OUR_THREADS = `
  const ours = () => {
    const fs = require('node:fs');
    return fs.readdirSync('/proc/self/task').filter((id) => {
      try {
        return fs.readFileSync('/proc/self/task/' + id + '/comm', 'utf8') === 'procscope\\n';
      } catch {
        return false;
      }
    }).length;
  };
  const untilOurs = async (count) => {
    while (ours() !== count) await new Promise((resolve) => setTimeout(resolve, 20));
  };`;

/** Threads of the library in this process. */
export function ourThreads(): number {
  return readdirSync('/proc/self/task').filter((id) => {
    try {
      return readFileSync(`/proc/self/task/${id}/comm`, 'utf8') === 'procscope\n';
    } catch {
      return false;
    }
  }).length;
}

/** Waits until there are so many. */
export async function untilOurThreads(count: number): Promise<void> {
  while (ourThreads() !== count) await new Promise((resolve) => setTimeout(resolve, 20));
}
