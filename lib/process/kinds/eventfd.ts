import { anonymous, type Kind, known, numberAt } from './kind.js';

export const eventfd: Kind = {
  name: 'eventfd',
  fits: anonymous('eventfd'),
  details: (_, info) =>
    known({
      count: hexadecimal(/^eventfd-count:\s*([0-9a-f]+)/m.exec(info)?.[1]),
      id: numberAt(info, 'eventfd-id'),
    }),
};

/** The kernel prints the count in hexadecimal. */
function hexadecimal(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}
