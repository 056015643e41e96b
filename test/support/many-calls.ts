/** Stores very many calls in a running service through its event log, so that the sums about them are correct. */
import { EventLog, newEventId, type NewEvent } from '../../src/events/index.js';
import type { TestApp } from './test-app.js';
import { appendRequest, newEvent, violationEvent } from './events.js';

interface Owner {
  readonly accountId: string;
  readonly appId: string;
  readonly keyId: string;
}

const HOURS = 20;
const AT_ONCE = 500;
const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4', 'mistral-large'] as const;
const TEAMS = 7;
const SESSION_OF = 12;

/** Stores this number of finished calls, spread over the last 20 hours: most allowed, some flagged, redacted and blocked. */
export async function storeCalls({ weir }: TestApp, owner: Owner, count: number): Promise<void> {
  const log = weir.app.get(EventLog, { strict: false });
  const endMs = Date.now();
  for (let done = 0; done < count; done += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, index) => done + index);
    await Promise.all(
      some.map((n) => {
        const event = call(owner, n, new Date(endMs - ((count - n) / count) * HOURS * 3_600_000));
        const children = event.violations.map((violation) => ({
          ...violationEvent(event, violation.rule),
          ...{ accountId: event.accountId, keyId: event.keyId, receivedAt: event.receivedAt },
          ...{ id: newEventId(event.receivedAt), violations: [violation] },
        }));
        return log.append(
          appendRequest(
            event,
            children.map((child) => ({ ...child, eventId: child.id })),
          ),
        );
      }),
    );
  }
}

function call(owner: Owner, n: number, receivedAt: Date): NewEvent {
  return newEvent({
    ...owner,
    receivedAt,
    requestId: `many-${n}`,
    sessionId: `many-${Math.floor(n / SESSION_OF)}`,
    model: MODELS[n % MODELS.length]!,
    metadata: JSON.stringify({ team: `team ${n % TEAMS}` }),
    payload: JSON.stringify({ messages: [{ role: 'user', content: `Question number ${n} of very many` }] }),
    marks: { masks: [], masksLeftOut: 0, excerpt: `Question number ${n} of very many` },
    latencyMs: { total: 200 + (n % 900), weir: 0.5 + (n % 40) / 10 },
    usage: { promptTokens: 100 + (n % 300), completionTokens: 20 + (n % 90) },
    costNanoUsd: String(1_000_000 + (n % 1000) * 1_000),
    ...judged(n),
  });
}

function judged(n: number): Partial<NewEvent> {
  const violation = (rule: string, action: 'block' | 'redact' | 'flag') => ({
    ...{ rule, policy: 'production', category: 'words', severity: 'medium' as const, action, enforced: true },
    message: 'A rule of the test policy.',
  });
  if (n % 50 === 0) {
    const violations = [violation('words.block-ssn', 'block')];
    return { decision: 'block', reason: 'content_policy_violation', violations };
  }
  if (n % 11 === 0) return { decision: 'redact', violations: [violation('words.redact-mail', 'redact')] };
  return n % 17 === 0 ? { violations: [violation('words.flag-token', 'flag')] } : {};
}
