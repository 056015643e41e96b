import fc from 'fast-check';
import type { AdminAudit } from '../../admin-audit/index.js';
import type { SqlTransaction } from '../../database/index.js';
import { exceedsMailLimits, MailDecisions } from './mail-decisions.js';
import type { EarlierMails, MailOutbox, OutboxRow } from './outbox.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.parse('2026-01-01T00:00:00Z');

interface Sent {
  readonly atMs: number;
  readonly network: string;
}

/** The mails that the outbox counts for a network at a given time. */
function earlierOf(sent: readonly Sent[], atMs: number, network: string): EarlierMails {
  const day = sent.filter((mail) => mail.atMs > atMs - DAY_MS);
  return {
    withinMinute: day.filter((mail) => mail.atMs > atMs - MINUTE_MS).length,
    withinHour: day.filter((mail) => mail.atMs > atMs - HOUR_MS).length,
    withinDay: day.length,
    ofRequester: day.filter((mail) => mail.network === network).length,
  };
}

/** The mails that are sent for requests, in the order of time. */
function sentFor(requests: readonly Sent[]): Sent[] {
  const sent: Sent[] = [];
  for (const request of requests) {
    if (!exceedsMailLimits(earlierOf(sent, request.atMs, request.network))) sent.push(request);
  }
  return sent;
}

const minutes = (count: number, network: string): Sent[] =>
  Array.from({ length: count }, (_, index) => ({ atMs: index * MINUTE_MS, network }));

describe('mails to one address', () => {
  it('are at most one a minute and five a day for requests from one network', () => {
    expect(sentFor(minutes(600, 'one'))).toHaveLength(5);
    expect(sentFor([...minutes(1, 'one'), ...minutes(1, 'two')])).toHaveLength(1);
  });

  it('are still sent to the owner after strangers in another network have used up their five', () => {
    const owner = { atMs: 3 * HOUR_MS, network: 'owner' };
    expect(sentFor([...minutes(100, 'strangers'), owner])).toContain(owner);
  });

  it('leave the owner a link that is valid for an hour, however many networks request mails', () => {
    const stranger = fc.record({ atMs: fc.nat(2 * DAY_MS), network: fc.integer({ max: 200, min: 1 }).map(String) });
    const owner = fc.record({ atMs: fc.nat(2 * DAY_MS), network: fc.constant('owner') });
    fc.assert(
      fc.property(
        fc.array(stranger, { maxLength: 200 }),
        fc.array(owner, { minLength: 1, maxLength: 5 }),
        (strangers, owners) => {
          const requests = [...strangers, ...owners].sort((left, right) => left.atMs - right.atMs);
          const sent = sentFor(requests);
          for (const { atMs } of owners) {
            expect(sent.some((mail) => mail.atMs <= atMs && mail.atMs > atMs - HOUR_MS)).toBe(true);
          }
        },
      ),
    );
  });

  it('are at most 28 a day from all networks together', () => {
    const flood = Array.from({ length: 1440 }, (_, index) => ({ atMs: index * MINUTE_MS, network: String(index) }));
    expect(sentFor(flood).length).toBeLessThanOrEqual(28);
  });
});

/** The people of a database, by the key of their address, with the passwords that sign-ups have set. */
class FakePeople {
  readonly rows = new Map<string, { id: string; verified: boolean; passwordHash: string }>();
  readonly subscriptions: string[] = [];
  /** Whether there is a sign-up from another network. */
  isContested = false;

  readonly transaction: SqlTransaction = {
    enter: () => Promise.resolve(),
    query: <Row>(sql: string, values: readonly unknown[] = []) =>
      Promise.resolve(this.answer(sql, values.map(String)) as unknown as Row[]),
  };

  private answer(sql: string, [first = '', second = '', third = '', fourth = '']: readonly string[]): object[] {
    const person = this.rows.get(first);
    if (sql.includes('requester IS DISTINCT FROM')) return this.isContested ? [{ one: 1 }] : [];
    if (sql.includes('INSERT INTO subscriptions')) this.subscriptions.push(first);
    if (sql.includes('INSERT INTO people')) {
      this.rows.set(third, { id: first, verified: false, passwordHash: fourth });
      return [{ one: 1 }];
    }
    if (sql.includes('UPDATE people')) {
      if (person === undefined || person.verified) return [];
      this.rows.set(first, { ...person, passwordHash: third });
      return [{ id: person.id, typed: second }];
    }
    if (sql.includes('FROM people WHERE email_key')) return person === undefined ? [] : [person];
    return [];
  }
}

describe('a sign-up', () => {
  const key = 'jane@example.com';
  const none: EarlierMails = { withinMinute: 0, withinHour: 0, withinDay: 0, ofRequester: 0 };
  const many: EarlierMails = { ...none, withinMinute: 1 };
  let people: FakePeople;
  let ended: string[];
  let earlier: EarlierMails;
  beforeEach(() => {
    [people, ended, earlier] = [new FakePeople(), [], none];
  });
  const decisions = new MailDecisions(
    { earlier: () => Promise.resolve(earlier) } as unknown as MailOutbox,
    { record: () => Promise.resolve() } as unknown as AdminAudit,
    { endAll: (_transaction, personId) => Promise.resolve(void ended.push(personId)) },
    () => new Date(START_MS),
  );
  const rowOf = (passwordHash: string): OutboxRow => {
    const address = { typed: key, key };
    return { id: 'mail', kind: 'sign_up', address, data: { passwordHash } } as unknown as OutboxRow;
  };
  const signUp = (passwordHash: string) => decisions.decide(people.transaction, rowOf(passwordHash));

  it('takes the place of an earlier one that was not confirmed, and ends its sessions', async () => {
    const first = await signUp('the hash of a stranger');
    const second = await signUp('the hash of the owner');
    expect([second, ended]).toEqual([first, [first?.personId]]);
    expect(people.rows.get(key)?.passwordHash).toBe('the hash of the owner');
  });

  it('takes the place of an earlier one even if no further mail may be sent', async () => {
    const first = await signUp('the hash of a stranger');
    earlier = many;
    expect(await signUp('the hash of the owner')).toBeNull();
    expect(ended).toEqual([first?.personId]);
    expect(people.rows.get(key)?.passwordHash).toBe('the hash of the owner');
  });

  it('has a link that confirms its password, unless somebody in another network signed up as well', async () => {
    expect(await decisions.confirmedPassword(people.transaction, rowOf('a hash'))).toBe('a hash');
    people.isContested = true;
    expect(await decisions.confirmedPassword(people.transaction, rowOf('a hash'))).toBeNull();
  });

  it('with a confirmed address changes nothing of its owner, but its password opens a session like any other', async () => {
    people.rows.set(key, { id: 'owner', verified: true, passwordHash: 'the hash of the owner' });
    expect(await signUp('the hash of a stranger')).toEqual({ template: 'known_address', personId: 'owner' });
    expect(await signUp('another hash')).toEqual({ template: 'known_address', personId: 'owner' });
    expect(people.rows.get(key)).toEqual({ id: 'owner', verified: true, passwordHash: 'the hash of the owner' });
    expect(people.rows.get(`taken ${key}`)).toMatchObject({ verified: false, passwordHash: 'another hash' });
    expect([ended.length, ended.includes('owner'), people.subscriptions]).toEqual([1, false, []]);
  });
});
