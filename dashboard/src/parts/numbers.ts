/** Numbers with decimal digits in the browser's language. */

/** A format with at least and at most this number of digits after the decimal point. */
export const withDecimals = (least: number, most = least): Intl.NumberFormat =>
  new Intl.NumberFormat(undefined, { minimumFractionDigits: least, maximumFractionDigits: most });

const one = withDecimals(1);
const whole = withDecimals(0);

/** A number with one digit after the decimal point, such as `1.3`. */
export const tenths = (value: number): string => one.format(value);

const KILOBYTE = 1_000;
const MEGABYTE = 1_000_000;
const GIGABYTE = 1_000_000_000;

/** For example `214 B`, `3 kB` or `1.5 GB`. */
export function fileSize(bytes: number): string {
  if (bytes < KILOBYTE) return `${whole.format(bytes)} B`;
  if (bytes < MEGABYTE) return `${whole.format(bytes / KILOBYTE)} kB`;
  return bytes < GIGABYTE ? `${tenths(bytes / MEGABYTE)} MB` : `${tenths(bytes / GIGABYTE)} GB`;
}
