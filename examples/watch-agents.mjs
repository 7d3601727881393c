// Prints what happens to the coding agents of this machine until Ctrl-C.
// node examples/watch-agents.mjs [MILLISECONDS BETWEEN TWO POLLS]
import { AgentMonitor } from 'procscope';

const intervalMs = Number(process.argv[2] ?? 500);
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

const monitor = new AgentMonitor();
for await (const { events, failed } of monitor.watch({ intervalMs, signal: stop.signal })) {
  if (failed) console.error('The process table cannot be read: what was known stands.');
  for (const { type, agent, reasons } of events) {
    const { engine, kind, pid, session, state } = agent;
    // Reasons quote what processes say of themselves: never print that raw on a terminal.
    console.log(type, engine, kind, pid, session.id ?? '-', state.value, JSON.stringify(reasons[0]));
  }
}
monitor.close();
