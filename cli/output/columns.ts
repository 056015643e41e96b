/** Rows as columns of text, two spaces apart, without borders. Control characters, which a server might send, become spaces. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const clean = [head, ...rows].map((row) => row.map((cell) => cell.replace(/[\p{Cc}\p{Cf}]/gu, ' ')));
  const widths = head.map((_, column) => Math.max(...clean.map((row) => [...(row[column] ?? '')].length)));
  return clean
    .map((row) => row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** A name with its id; only one of them if the other is unknown. */
export function nameAndId(name: string | null, id: string | null): string {
  if (name === null || name === id) return id ?? '';
  return id === null ? name : `${name} (${id})`;
}

/** An RFC 3339 time to the minute, such as `2026-03-01 12:30`. */
export function minuteText(time: string): string;
export function minuteText(time: string | null | undefined): string | undefined;
export function minuteText(time: string | null | undefined): string | undefined {
  return time?.slice(0, 16).replace('T', ' ');
}
