import { inodeIn, type Kind, known } from './kind.js';

const FORM = /^(cgroup|ipc|mnt|net|pid|pid_for_children|time|time_for_children|user|uts):\[\d+\]$/;

/** A namespace that is kept alive or can be entered. namespaces(7). */
export const namespace: Kind = {
  name: 'namespace',
  fits: (link) => FORM.test(link),
  details: (link) => known({ type: FORM.exec(link)?.[1], inode: inodeIn(link) }),
};
