// What the maker `lives` wrote down of its children, as values.

/** The name of the maker's program, and of its children until they change it. */
const PROGRAM = 'lives';
/** What execve() calls a program that it finds through /proc/self/exe. */
const IMAGE_NAME = 'exe';
const ENDLESS = Number.POSITIVE_INFINITY;

function lifeOf(line) {
  const words = line.split(' ');
  const [index, pid, key, ...times] = words.slice(0, 8);
  const [beforeFork, afterFork, beforeKill, dead, reaped] = times.map(Number);
  const changes = [];
  for (let at = 8; at + 2 < words.length; at += 3) {
    const [kind, before, after] = words.slice(at, at + 3);
    changes.push({ kind, before: Number(before), after: Number(after) || ENDLESS });
  }
  return {
    index: Number(index),
    pid: Number(pid),
    key,
    beforeFork,
    afterFork,
    // One that ended by itself may have done so before its parent came to look at a clock.
    beforeKill: beforeKill || beforeFork,
    dead,
    reaped,
    changes,
  };
}

/** One life a line of the ledger. */
export const readLedger = (text) => text.trimEnd().split('\n').map(lifeOf);

export const identityOf = ({ pid, key }) => `${pid}:${key}`;

/** The states that a life went through: when it can have been in each, and when it surely was. */
export function statesOf(life) {
  const { changes } = life;
  return [{ before: life.beforeFork, after: life.beforeFork }, ...changes].map((change, state) => ({
    state,
    image: change.kind === 'x',
    id: state === 0 ? undefined : `${life.index}.${state}`,
    from: change.before,
    surelyFrom: change.after,
    surelyTo: Math.min(changes[state]?.before ?? ENDLESS, life.beforeKill),
    to: changes[state]?.after ?? ENDLESS,
  }));
}

export const nameOf = ({ id }) => id ?? PROGRAM;

const meets = (from, to, window) => from <= window.end && to >= window.begin;

/** Whether a life can have had this name at some moment of a window. */
export function canHaveName(life, name, window) {
  return statesOf(life).some(
    (one) =>
      (nameOf(one) === name && meets(one.from, one.to, window)) ||
      (one.image && name === IMAGE_NAME && meets(one.from, one.surelyFrom, window)),
  );
}

/** Whether a life can have had these arguments; those of a change or an end in progress may be in pieces. */
export function canHaveArguments(life, argv, window) {
  const states = statesOf(life);
  const foreign = /^(\d+)\.\d+$/.exec(argv[1] ?? '');
  if (foreign && Number(foreign[1]) !== life.index) return false;
  const inPieces =
    window.end >= life.beforeKill ||
    states.some((one) => one.state > 0 && meets(one.from, one.surelyFrom, window));
  if (inPieces) return true;
  return states.some(
    (one) =>
      meets(one.from, one.to, window) &&
      (one.id === undefined ? argv[0]?.endsWith(`/${PROGRAM}`) === true : argv[1] === one.id),
  );
}
