import { anonymous, type Kind } from './kind.js';

export const perf: Kind = { name: 'perf', fits: anonymous('perf_event') };
