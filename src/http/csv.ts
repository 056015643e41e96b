/** Tables as text for other programs: RFC 4180, and no cell that a spreadsheet would execute. */

/** The beginning of a text that a spreadsheet interprets as a formula: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r]/u;

/**
 * Makes a text that a stranger may have written safe to open: an apostrophe in front prevents a spreadsheet from running it as a formula.
 */
export function csvText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}
