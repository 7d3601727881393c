/** Further answers that are read off a process. */
import type { Arguments } from './args.js';
import type { Judged } from './judge.js';
import type { EngineRule } from './rule.js';

/** `user:secret@` may stand before the host; nothing of the address but the gateway's name is kept. */
const OPENROUTER = /^https?:\/\/(?:[^/?#]*@)?(?:[^/?#:@]+\.)?openrouter\.ai(?:[:/?#]|$)/i;

/** `ori`: the engine's requests go to OpenRouter. Null: they do not, or the environment was not read. */
export function gatewayOf({ facts, program, rule }: Judged): string | null {
  if (program.through.includes('ori')) return 'ori';
  const addresses = rule.baseUrls.map((key) => facts.env?.[key]);
  return addresses.some((address) => typeof address === 'string' && OPENROUTER.test(address)) ? 'ori' : null;
}

/** Does the command line switch off the questions before an action? Null: the arguments were not read. */
export function bypassesPermissions({ facts, args, rule }: Judged): boolean | null {
  return facts.argv === undefined ? null : bypassFlagsOf(args, rule).length > 0;
}

/** The flags that do, in the order of the arguments. */
export function bypassFlagsOf(args: Arguments, rule: EngineRule): string[] {
  return args.flags.flatMap(({ name, value }) => {
    const found = rule.bypass.find(
      (bypass) => name === bypass.flag && (bypass.value === undefined || value === bypass.value),
    );
    if (!found) return [];
    return [found.value === undefined ? found.flag : `${found.flag} ${found.value}`];
  });
}

/** The version that the install path names, else that of the package which it lies in; null = neither tells one. */
export function versionOf({ facts, program, rule }: Judged): string | null {
  for (const path of [program.image, facts.script?.real, program.entry?.text, program.word]) {
    if (typeof path !== 'string') continue;
    for (const pattern of rule.versions) {
      const version = pattern.part(path);
      if (version !== null) return version;
    }
  }
  const { version } = facts;
  return version && rule.packages.includes(version.name) ? version.version : null;
}
