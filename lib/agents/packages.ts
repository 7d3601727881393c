/** Which package a program is from: its manifest is read, once for each program that a process runs. */
import type { ProcessFacts } from '../engines/facts.js';
import { ENGINES } from '../engines/index.js';
import { type PackageVersion, packageAround, packageVersion } from '../engines/package.js';
import { joinPath } from '../engines/path.js';
import type { Fault } from '../process/fault.js';
import type { LookRequest } from '../process/look.js';
import { groupOf } from './scripts.js';
import type { Setting } from './setting.js';

const MAX_MANIFEST_BYTES = 1 << 17;
const KNOWN = new Set(ENGINES.flatMap(({ packages }) => packages));

/** `version`: null = no package of an engine is around its program, or its manifest names none. */
export type PackageLook = { readonly version: PackageVersion | null } | { readonly fault: Fault };

/** Its manifest, in the process's own view of the files; null = there is none to read. */
function manifestOf({ exe, script }: ProcessFacts): string | null {
  // Both are resolved: the place is the package's own, wherever a link to it lies.
  for (const path of [script?.real, exe]) {
    const found = typeof path === 'string' ? packageAround(path) : null;
    if (found && KNOWN.has(found.name)) return joinPath(found.folder, 'package.json');
  }
  return null;
}

/**
 * What the manifests say, by pid; whose program lies in no package of an engine is not in the answer. `viewOf`: below
 * what the paths of a process lie for us.
 */
export async function readPackages(
  facts: readonly ProcessFacts[],
  viewOf: (facts: ProcessFacts) => string,
  { look }: Pick<Setting, 'look'>,
): Promise<ReadonlyMap<number, PackageLook>> {
  const wanted = new Map<string, { readonly request: LookRequest; readonly pids: number[] }>();
  for (const each of facts) {
    const path = manifestOf(each);
    if (path === null) continue;
    const root = viewOf(each);
    const key = `${root}\0${path}`;
    const from = { group: groupOf(root + path), ...(root === '' ? {} : { root }) };
    const known = wanted.get(key);
    if (known) known.pids.push(each.pid);
    else {
      const request = { op: 'read', path, maxBytes: MAX_MANIFEST_BYTES, follow: false, ...from } as const;
      wanted.set(key, { request, pids: [each.pid] });
    }
  }
  if (wanted.size === 0) return new Map();
  const asked = [...wanted.values()];
  const answers = await look(asked.map(({ request }) => request));
  return new Map(
    asked.flatMap(({ pids }, index) => {
      const { fault, bytes, truncated } = answers[index] ?? {};
      const whole = bytes !== undefined && truncated !== true;
      const version = whole ? packageVersion(bytes.toString('utf8')) : null;
      // Removed or replaced while it ran: nothing tells its version any more.
      const found: PackageLook = fault && fault.kind !== 'gone' ? { fault } : { version };
      return pids.map((pid) => [pid, found] as const);
    }),
  );
}
