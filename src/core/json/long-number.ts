/** Numbers of at least this many characters before a decimal point have a text: the shortest account numbers have eight digits. */
export const LONG_INTEGER = 8;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Maximum number of zeros added when an exponent of ten is written out: longer numbers are not account numbers. */
const MOST_ZEROS = 40;

/**
 * The text of a number in JSON: models read `4111111111111111.0` and `4.111111111111111e15` as the card number that they
 * denote. An exponent is written out, and a fraction of zeros is omitted.
 *
 * @param literal a number in the form of JSON (RFC 8259, section 6)
 * @returns undefined for a number that is too short for an account number
 */
export function longNumberOf(literal: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent] = NUMBER.exec(literal) ?? [];
  const isLong = (digits: string): boolean => sign.length + digits.length >= LONG_INTEGER;
  if (exponent === undefined) return isLong(whole) ? sign + whole + fractionOf(fraction) : undefined;
  const isShort = Number(exponent) - fraction.length <= MOST_ZEROS;
  const moved = isShort ? written(whole, fraction, Number(exponent)) : undefined;
  if (moved !== undefined && isLong(moved.whole)) return sign + moved.whole + fractionOf(moved.fraction);
  return isLong(whole) ? literal : undefined;
}

/** Moves the decimal point by an exponent of ten. */
function written(whole: string, fraction: string, exponent: number): { whole: string; fraction: string } {
  const digits = whole + fraction;
  const point = whole.length + exponent;
  return {
    whole: digits
      .slice(0, Math.max(0, point))
      .padEnd(point, '0')
      .replace(/^0+(?=\d)/, ''),
    fraction: digits.slice(Math.max(0, point)),
  };
}

function fractionOf(digits: string): string {
  return /[1-9]/.test(digits) ? `.${digits}` : '';
}
