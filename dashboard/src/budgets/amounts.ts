/** Exact arithmetic with the decimal amounts of budgets: as floats they would lose digits. */
import type { BudgetState, Schemas } from '../api/types.ts';
import { amount, counted } from '../parts/format.ts';

type Unit = BudgetState['unit'];
type AuditLine = Schemas['BudgetAudit']['data'][number];

const NANO_DIGITS = 9;
const NANO = 10n ** BigInt(NANO_DIGITS);
const DECIMAL = /^(-?)(\d+)(?:\.(\d{0,9}))?$/;

function nanoOf(decimal: string): bigint {
  const [, sign = '', integer = '0', fraction = ''] = DECIMAL.exec(decimal) ?? [];
  const nano = BigInt(`${integer}${fraction.padEnd(NANO_DIGITS, '0')}`);
  return sign === '-' ? -nano : nano;
}

function decimalOf(nano: bigint): string {
  const size = nano < 0n ? -nano : nano;
  const fraction = String(size % NANO).padStart(NANO_DIGITS, '0');
  return `${nano < 0n ? '-' : ''}${size / NANO}.${fraction}`;
}

/** The forms in which people may type a change of an amount: `-2.50`, `+2.50` or `2.50`, also with the minus sign of shown amounts. */
export const CHANGE_PATTERN = '[+\\-−]?[0-9]{1,12}([.][0-9]{1,9})?';
const CHANGE = new RegExp(`^${CHANGE_PATTERN}$`);

/** A typed change in the form of the API; undefined while it is not an amount: tokens have no fraction. */
export function changeOf(typed: string, unit: Unit): string | undefined {
  const text = typed.trim();
  if (!CHANGE.test(text) || (unit === 'tokens' && text.includes('.'))) return undefined;
  return text.replace('+', '').replace('−', '-');
}

/** The amount after a change in the form of the API. */
export const changedBy = (decimal: string, change: string): string => decimalOf(nanoOf(decimal) + nanoOf(change));

/** The differences between the amounts of a window, in words; empty if they agree. */
export function differencesOf(line: AuditLine): readonly string[] {
  const { unit, missing_events: missing } = line;
  const [usage, ledger, reserved, held] = [line.usage, line.ledger, line.reserved, line.held].map(nanoOf);
  const log = [line.events, line.estimated, line.adjusted].map(nanoOf).reduce((all, each) => all + each, 0n);
  const compared = (what: string, one = 0n, other = 0n, than = ''): readonly string[] => {
    if (one === other) return [];
    const difference = amount(decimalOf(one > other ? one - other : other - one), unit);
    return [`${what} ${difference} ${one > other ? 'more' : 'less'} than ${than}`];
  };
  return [
    ...compared('the ledger has', ledger, log, 'the log'),
    ...compared('the budget has', usage, ledger, 'the ledger'),
    ...compared('the budget has reserved', reserved, held, 'the ledger'),
    ...(missing === 0
      ? []
      : [`${counted(missing, 'event')} of the ledger ${missing === 1 ? 'is' : 'are'} not in the log`]),
  ];
}
