// Sets what a poller reported against what the maker of the processes knows. Nothing here asserts a
// time: each statement follows from the order of the moments that both wrote down on one clock.
import { canHaveArguments, canHaveName, identityOf, nameOf, readLedger, statesOf } from './ledger.mjs';

/** A row is treated as young for so long after its start: it is looked at in every poll. */
const YOUNG_NS = 900e6;
const ANY_TIME = Number.NEGATIVE_INFINITY;

class Comparison {
  problems = [];
  #lives;
  #ambiguous = new Set();
  #live = new Map();
  /** What was reported of an identity: the poll of its start and of its end, and each known row. */
  #seen = new Map();

  constructor(lives, log) {
    this.log = log;
    this.lives = lives;
    this.#lives = new Map();
    for (const life of lives) {
      const identity = identityOf(life);
      if (this.#lives.has(identity)) this.#ambiguous.add(identity);
      this.#lives.set(identity, life);
    }
    this.judgeable = lives.filter((life) => !this.#ambiguous.has(identityOf(life)));
  }

  say(kind, poll, row, text) {
    this.problems.push({ kind, poll, text: `poll ${poll}: ${row.pid}:${row.key} ${text}` });
  }

  seen(life) {
    return this.#seen.get(identityOf(life));
  }

  /** Whether a row is about a child of the maker; in a namespace of their own nobody else may turn up. */
  #isOurs(row, poll) {
    if (this.#lives.has(identityOf(row))) return true;
    const { maker, others } = this.log;
    if (row.pid === maker || others.includes(row.pid)) return false;
    if (this.log.alone || row.ppid === maker) this.say('misattributed', poll, row, 'is nobody of the ledger');
    return false;
  }

  /** Goes through the polls as they were and keeps the table that they add up to. */
  follow() {
    for (const news of this.log.news) {
      const window = { begin: this.log.begins[news.poll], end: this.log.ends[news.poll] };
      for (const row of news.exited) this.#exit(row, news.poll, window);
      for (const row of news.started) this.#start(row, news.poll, window);
      for (const { row, before } of news.changed) this.#change(row, before, news.poll, window);
      if (news.size !== this.#live.size) {
        const text = `the table has ${news.size} rows, the deltas add up to ${this.#live.size}`;
        this.problems.push({ kind: 'table', poll: news.poll, text: `poll ${news.poll}: ${text}` });
      }
    }
  }

  #exit(row, poll, window) {
    const identity = identityOf(row);
    const seen = this.#seen.get(identity);
    if (this.#live.get(row.pid) !== identity) {
      const kind = seen ? 'doubled' : 'misattributed';
      this.say(kind, poll, row, seen ? 'exited again' : 'exited and had not started');
      return;
    }
    this.#live.delete(row.pid);
    seen.exit = poll;
    if (!this.#isOurs(row, poll) || this.#ambiguous.has(identity)) return;
    const life = this.#lives.get(identity);
    if (window.end <= life.beforeKill) this.say('misattributed', poll, row, 'exited and was alive');
    this.#mayBe(life, row, poll, { begin: ANY_TIME, end: window.end });
  }

  #start(row, poll, window) {
    const identity = identityOf(row);
    if (this.#live.has(row.pid)) this.say('doubled', poll, row, 'started while its pid was in the table');
    else if (this.#seen.has(identity) && !this.#ambiguous.has(identity)) {
      this.say('doubled', poll, row, 'started again');
    }
    this.#live.set(row.pid, identity);
    this.#seen.set(identity, { start: poll, known: [{ poll, row }] });
    if (!this.#isOurs(row, poll) || this.#ambiguous.has(identity)) return;
    const life = this.#lives.get(identity);
    if (life.dead <= window.begin) this.say('misattributed', poll, row, 'started and had ended');
    if (life.beforeFork > window.end) this.say('misattributed', poll, row, 'started before its birth');
    if (row.ppid !== this.log.maker) this.say('misattributed', poll, row, `has the parent ${row.ppid}`);
    this.#mayBe(life, row, poll, window);
  }

  #change(row, before, poll, window) {
    const identity = identityOf(row);
    if (identity !== identityOf(before)) this.say('misattributed', poll, row, `changed from ${before.key}`);
    if (this.#live.get(row.pid) !== identity) {
      this.say('misattributed', poll, row, 'changed and is not in the table');
      return;
    }
    const { known } = this.#seen.get(identity);
    if (JSON.stringify(known.at(-1).row) !== JSON.stringify(before)) {
      this.say('misattributed', poll, row, 'changed from a row that was not its last');
    }
    known.push({ poll, row });
    if (!this.#isOurs(row, poll) || this.#ambiguous.has(identity)) return;
    // What did not change may have been read in an earlier poll.
    const past = { begin: ANY_TIME, end: window.end };
    this.#mayBe(this.#lives.get(identity), row, poll, row.name === before.name ? past : window, past);
  }

  #mayBe(life, row, poll, window, windowOfArguments = window) {
    if (!canHaveName(life, row.name, window)) {
      this.say('misattributed', poll, row, `child ${life.index} was never called ${row.name} then`);
    }
    if (row.argv && !canHaveArguments(life, row.argv, windowOfArguments)) {
      this.say('misattributed', poll, row, `child ${life.index} never had the arguments ${row.argv} then`);
    }
  }

  /** Whoever was alive through a whole poll must be reported by then. Answers for how many that is so. */
  judgeStarts() {
    const lived = this.judgeable.filter((life) => {
      const poll = this.#firstPoll((begin, end) => begin >= life.afterFork && end <= life.beforeKill, life);
      if (poll === undefined) return false;
      const start = this.seen(life)?.start ?? Number.POSITIVE_INFINITY;
      if (start > poll) this.say('missed', poll, life, `child ${life.index} has not started`);
      return true;
    });
    return lived.length;
  }

  /** Whoever had ended before a poll must be gone after it. */
  judgeExits() {
    const ended = this.judgeable.filter((life) => {
      const seen = this.seen(life);
      const poll = this.#firstPoll((begin) => begin >= life.dead, life);
      if (seen === undefined || poll === undefined) return false;
      const exit = seen.exit ?? Number.POSITIVE_INFINITY;
      if (exit > poll) this.say('missed', poll, life, `child ${life.index} has not exited`);
      return true;
    });
    return ended.length;
  }

  /**
   * A name that a child surely had through a poll must be known after it, while the child is young; of an older one
   * when it had that name for twice the age that a look at it may have.
   */
  judgeNames() {
    let judged = 0;
    for (const life of this.judgeable) {
      const seen = this.seen(life);
      if (seen === undefined) continue;
      for (const one of statesOf(life)) {
        const patience = this.log.maxAgeMs * 2e6;
        const holds = (begin, end) =>
          begin >= one.surelyFrom &&
          end <= one.surelyTo &&
          (end <= life.beforeFork + YOUNG_NS || begin >= one.surelyFrom + patience);
        const poll = this.#firstPoll(holds, life);
        if (poll === undefined || poll < seen.start) continue;
        judged++;
        const known = seen.known.findLast((look) => look.poll <= poll)?.row.name;
        if (known !== nameOf(one)) {
          this.say('missed', poll, life, `child ${life.index} is ${nameOf(one)}, known as ${known}`);
        }
      }
    }
    return judged;
  }

  /** The first poll for which `holds`, of those that began after the life did. */
  #firstPoll(holds, life) {
    const { begins, ends, failed } = this.log;
    for (let poll = this.#firstAfter(life.afterFork); poll < begins.length; poll++) {
      if (!failed.includes(poll) && holds(begins[poll], ends[poll])) return poll;
      if (begins[poll] > life.reaped && failed.length === 0) return undefined;
    }
    return undefined;
  }

  #firstAfter(moment) {
    const { begins } = this.log;
    let low = 0;
    let high = begins.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (begins[middle] < moment) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How often a pid was given out again, and how often both owners met in one delta. */
  reuse() {
    const swaps = this.log.news.reduce((sum, { started, exited }) => {
      const gone = new Set(exited.map((row) => row.pid));
      return sum + started.filter((row) => gone.has(row.pid)).length;
    }, 0);
    return { reused: this.lives.length - new Set(this.lives.map((life) => life.pid)).size, swaps };
  }
}

/** Compares a log of watch.mjs with the ledger of the maker that ran beside it. */
export function compare(ledger, log) {
  const comparison = new Comparison(readLedger(ledger), log);
  comparison.follow();
  return {
    children: comparison.lives.length,
    polls: log.begins.length,
    failedPolls: log.failed.length,
    starts: comparison.judgeStarts(),
    exits: comparison.judgeExits(),
    names: comparison.judgeNames(),
    ...comparison.reuse(),
    unjudged: comparison.lives.length - comparison.judgeable.length,
    problems: comparison.problems,
  };
}
