import { anonymous, type Kind } from './kind.js';

export const fanotify: Kind = {
  name: 'fanotify',
  fits: anonymous('fanotify'),
  details: (_, info) => ({
    marks: info.split('\n').filter((line) => /^fanotify (ino|mnt|sb)/.test(line)).length,
  }),
};
