/**
 * Values of formats, exact. Titles, names and paths hold whatever their owners like, newlines included, so
 * values stand between separators that were made up for this one answer and that nobody could know before.
 */
import { randomBytes } from 'node:crypto';

/** 72 bits; none of its characters means anything in a format. */
export function freshSeparator(): string {
  return `<${randomBytes(9).toString('hex')}>`;
}

export type FieldFormats = Readonly<Record<string, string>>;
export type RecordOf<F extends FieldFormats> = { readonly [K in keyof F]: string };

/** The format that writes one record. */
export function recordFormat(fields: FieldFormats, separator: string): string {
  return `${separator}${Object.values(fields)
    .map((format) => `#{${format}}`)
    .join(separator)}${separator}`;
}

/**
 * The records at the start of `text`, each with a newline behind it, and what follows them. Undefined = the text is
 * not made of records.
 */
export function parseRecords<F extends FieldFormats>(
  text: string,
  fields: F,
  separator: string,
): { readonly records: readonly RecordOf<F>[]; readonly rest: string } | undefined {
  const names: readonly (keyof F)[] = Object.keys(fields);
  const parts = text.split(separator);
  const last = parts.length - 1;
  if (parts[0] !== '' || last % (names.length + 1) !== 0) {
    return parts.length === 1 ? { records: [], rest: text } : undefined;
  }
  const records: RecordOf<F>[] = [];
  for (let at = 1; at < last; at += names.length + 1) {
    const after = parts[at + names.length] as string;
    if (at + names.length === last ? !after.startsWith('\n') : after !== '\n') return undefined;
    // A copy has its shape at once; one grown name by name would be moved again and again.
    const record: Record<keyof F, string> = { ...fields };
    for (let index = 0; index < names.length; index++) {
      record[names[index] as keyof F] = parts[at + index] as string;
    }
    records.push(record);
  }
  return { records, rest: (parts[last] as string).slice(records.length > 0 ? 1 : 0) };
}

/** A whole number as tmux writes it; undefined = it wrote something else. */
export function numberOf(text: string): number | undefined {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A whole number in these limits; undefined = it wrote something else, or one that cannot be. */
export function numberIn(text: string, least: number, most: number): number | undefined {
  const number = numberOf(text);
  return number !== undefined && number >= least && number <= most ? number : undefined;
}
