import { anonymous, type Kind } from './kind.js';

export const inotify: Kind = {
  name: 'inotify',
  fits: anonymous('inotify'),
  details: (_, info) => ({ watches: info.split('\n').filter((line) => line.startsWith('inotify ')).length }),
};
