import { z } from 'zod';

/** The fields of an event that commands read; all others are passed on unchanged. */
export const EVENT = z.looseObject({
  id: z.string(),
  event_id: z.string(),
  type: z.string(),
  app: z.looseObject({ id: z.string(), name: z.string().nullable() }),
  key_id: z.string(),
  environment: z.enum(['development', 'staging', 'production']),
  decision: z.string().nullable(),
  reason: z.string().nullable(),
  model: z.string().nullable(),
  violations: z.array(
    z.looseObject({ rule: z.string(), action: z.string(), enforced: z.boolean(), message: z.string() }),
  ),
  policy: z.looseObject({ id: z.string(), digest: z.string().nullable(), version: z.string().nullable() }).nullable(),
  received_at: z.string(),
  marks: z.array(z.looseObject({ rule: z.string(), mark: z.string(), note: z.string().nullable() })).optional(),
});
export type Event = z.infer<typeof EVENT>;

/** Fields with user-written text, printed only on request. */
const CONTENT = ['payload', 'metadata', 'excerpt'] as const;

/** An event without user-written text. */
export function withoutContent<Shown extends Event>(event: Shown): Shown {
  const marks = event.marks?.map((mark) => ({ ...mark, note: null }));
  return {
    ...event,
    ...Object.fromEntries(CONTENT.map((name) => [name, null])),
    ...(marks === undefined ? {} : { marks }),
  };
}

/** One event as one line of text. */
export function eventLine(event: Event): string {
  const rules = event.violations.map(({ rule, enforced }) => (enforced ? rule : `(${rule})`)).join(' ');
  const parts = [
    event.received_at.replace('T', ' ').replace(/\.\d+Z$/, ''),
    event.id,
    event.type.padEnd(15),
    event.environment.padEnd(11),
    (event.app.name ?? event.app.id).padEnd(10),
    (event.decision ?? '').padEnd(6),
    event.model ?? '',
    rules,
  ];
  return `${parts
    .filter((part) => part !== '')
    .join('  ')
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')}\n`;
}
