/**
 * Rows as columns of text, two spaces apart, without lines around them. Control characters, which a server might send,
 * become spaces.
 */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const clean = [head, ...rows].map((row) => row.map((cell) => cell.replace(/[\p{Cc}\p{Cf}]/gu, ' ')));
  const widths = head.map((_, column) => Math.max(...clean.map((row) => [...(row[column] ?? '')].length)));
  return clean
    .map((row) => row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** A thing by its name, with its id beside it; the one that is known where the other is not. */
export function nameAndId(name: string | null, id: string | null): string {
  if (name === null || name === id) return id ?? '';
  return id === null ? name : `${name} (${id})`;
}
