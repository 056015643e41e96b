const NANO_DIGITS = 9;

/** An exact amount of dollars, such as `$0.0125`. @param nanoUsd integer nano-dollars, as the service writes them */
export function dollars(nanoUsd: string): string {
  const digits = nanoUsd.replace('-', '').padStart(NANO_DIGITS + 1, '0');
  const fraction = digits.slice(-NANO_DIGITS).replace(/0+$/, '');
  const whole = digits.slice(0, -NANO_DIGITS);
  return `${nanoUsd.startsWith('-') ? '-' : ''}$${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The cost of several calls, and how many calls it leaves out. @param unpriced number of calls without a known price */
export function costText(nanoUsd: string, unpriced: number): string {
  return unpriced === 0 ? dollars(nanoUsd) : `${dollars(nanoUsd)} (${unpriced} without a price)`;
}

/** A time in milliseconds with one decimal place; '' if it is unknown. */
export function millisecondsText(ms: number | null): string {
  return ms === null ? '' : `${Number(ms.toFixed(1))} ms`;
}
