import { anonymous, type Kind, numbersAt } from './kind.js';

export const epoll: Kind = {
  name: 'epoll',
  fits: anonymous('eventpoll'),
  /** The descriptors that it watches. */
  details: (_, info) => ({ watches: numbersAt(info, 'tfd') }),
};
