import type { ProcessFacts } from '../../../lib/engines/facts.js';
import { ENGINES } from '../../../lib/engines/index.js';
import type { Override } from '../../../lib/engines/interest.js';
import { isSessionKind, type Judged, type Judgement, judge } from '../../../lib/engines/judge.js';
import type { InstalledProgram, MatchContext } from '../../../lib/engines/match.js';

export const UUID = '01a22cfb-e5f1-7d41-8366-9bc8f0543ca5';
export const OTHER_UUID = '7b0c3a9e-2f1d-4c5b-9e8a-1d2c3b4a5f6e';

/** A process of which everything was read, unless `given` says otherwise. */
export function facts(given: Partial<ProcessFacts> & { readonly pid?: number }): ProcessFacts {
  const pid = given.pid ?? 100;
  const word = given.argv?.[0] ?? 'sh';
  const last = (given.exe ?? word).split('/').at(-1) ?? word;
  return {
    pid,
    startKey: BigInt(1_000 + pid),
    startTime: 1_796_000_000_000 + pid * 10,
    ppid: 0,
    pgid: pid,
    sid: pid,
    tty: 'pts/1',
    tpgid: pid,
    state: 'S',
    uid: 1000,
    user: 'user',
    name: last.slice(0, 15),
    argv: [word],
    exe: word.startsWith('/') ? word : `/usr/bin/${word}`,
    exeFile: undefined,
    cwd: '/w/a',
    nspid: [pid],
    pidNamespace: 4_026_531_836,
    env: { HOME: '/home/user', CLAUDE_CONFIG_DIR: null, CODEX_HOME: null, VSCODE_PID: null },
    script: undefined,
    ...given,
  };
}

export interface Surroundings {
  readonly installed?: readonly InstalledProgram[];
  readonly overrides?: readonly Override[];
  /** Processes that are no candidates but may be ancestors. */
  readonly others?: readonly ProcessFacts[];
}

export function matchContext(around: Surroundings = {}): MatchContext {
  return { rules: ENGINES, installed: around.installed ?? [], overrides: around.overrides ?? [] };
}

export function judgeAll(processes: readonly ProcessFacts[], around: Surroundings = {}): Judgement {
  const byPid = new Map([...(around.others ?? []), ...processes].map((each) => [each.pid, each]));
  return judge(processes, {
    ...matchContext(around),
    lookup: (pid) => byPid.get(pid),
    ownerHome: () => null,
  });
}

export function judgeOne(given: Partial<ProcessFacts>, around: Surroundings = {}): Judged | undefined {
  const one = facts(given);
  return judgeAll([one], around).judged.get(one.pid);
}

/** `engine kind` of every judged process, by pid. */
export function verdicts(judgement: Judgement): Record<number, string> {
  return Object.fromEntries(
    [...judgement.judged].map(([pid, { rule, kind }]) => [pid, `${rule.engine} ${kind}`]),
  );
}

/** `engine kind` of the sessions alone: what agents() answers without `all`. */
export function sessions(
  processes: readonly ProcessFacts[],
  around: Surroundings = {},
): Record<number, string> {
  const { judged } = judgeAll(processes, around);
  return Object.fromEntries(
    [...judged]
      .filter(([, { kind }]) => isSessionKind(kind))
      .map(([pid, { rule, kind }]) => [pid, `${rule.engine} ${kind}`]),
  );
}
