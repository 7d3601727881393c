import { anonymous, type Kind, known, numberAt } from './kind.js';

export const timerfd: Kind = {
  name: 'timerfd',
  fits: anonymous('timerfd'),
  /** Clock of clock_gettime(2), and expirations not read yet. */
  details: (_, info) => known({ clock: numberAt(info, 'clockid'), ticks: numberAt(info, 'ticks') }),
};
