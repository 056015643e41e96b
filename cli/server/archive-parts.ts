import { z } from 'zod';
import { textOption } from '../command.js';
import { usageError } from '../exit-code.js';
import type { ArchivePart } from '../../src/events/archive/index.js';

/** The flags that select parts of the archive. */
export const PART_OPTIONS = {
  week: textOption('Monday of a week such as 2026-01-05; default: all weeks'),
  account: textOption('Account id; default: all accounts'),
} as const;

export const PART = z.strictObject({
  id: z.string(),
  week: z.string().describe('Monday, 00:00 UTC.'),
  account: z.string(),
  environment: z.string(),
  state: z.enum(['archived', 'restored']),
  events: z.number(),
  bytes: z.number(),
  object: z
    .string()
    .describe('Key of the object, below the prefix or directory of the archive; empty if the part was restored.'),
  keepUntil: z
    .string()
    .nullable()
    .describe('Time until which the week of a restored part stays in the database; null for other parts.'),
});

/** @throws CliError exit 2 */
export function partSelection({ week, account }: { week?: string | undefined; account?: string | undefined }) {
  if (week !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(week)) {
    throw usageError('--week takes the Monday of a week, such as 2026-01-05');
  }
  if (account !== undefined && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(account)) {
    throw usageError('--account takes the id of an account');
  }
  return { ...(week === undefined ? {} : { week }), ...(account === undefined ? {} : { account }) };
}

export function partOutput(part: ArchivePart): z.infer<typeof PART> {
  const { id, accountId: account, environment, events, bytes, key: object, keepUntil } = part;
  const state = part.state === 'restored' ? 'restored' : 'archived';
  return { id, week: dayOf(part), account, environment, state, events, bytes, object, keepUntil };
}

/** The first day of the week of a part: `events_w20260105` is 2026-01-05. */
export function dayOf({ week }: Pick<ArchivePart, 'week'>): string {
  return week.replace(/^events_w(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
}
