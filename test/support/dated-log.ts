import type { SqlRunner } from '../../src/database/index.js';
import type { NewEvent } from '../../src/events/event.js';
import { newEventId } from '../../src/events/event-id.js';
import { EventLog } from '../../src/events/event-log.js';
import { ensurePartitions } from '../../src/events/partitions.js';
import { appendRequest, newEvent } from './events.js';

export const DAY_MS = 86_400_000;

/** The starting point of a test about the age of events. */
interface Beginning {
  readonly accountId: string;
  readonly other: string;
  readonly year: number;
  /** The start of a Wednesday, which is day 0: the week ends when day 5 begins. */
  readonly startMs: number;
}

/** Stores events on days counted from the start of a test; each test has its own year and two accounts. */
export class DatedLog {
  private beginning: Beginning = { accountId: '', other: '', year: 2030, startMs: 0 };

  /** @param suite three hexadecimal digits in the ids of the accounts, so that suites share none */
  constructor(
    private readonly sql: () => SqlRunner,
    private readonly suite: string,
  ) {}

  /** Begins a test. */
  async begin(): Promise<Beginning> {
    const year = this.beginning.year + 1;
    const june = Date.UTC(year, 5, 11) / DAY_MS;
    const startMs = (june - ((june - 4) % 7) + 2) * DAY_MS;
    this.beginning = { accountId: this.account(year - 2030), other: this.account(year - 1830), year, startMs };
    await ensurePartitions(this.sql(), new Date(startMs));
    return this.beginning;
  }

  eventOn(day: number, changes: Partial<NewEvent> = {}): NewEvent {
    const { accountId, startMs } = this.beginning;
    const receivedAt = new Date(startMs + day * DAY_MS);
    return newEvent({ accountId, receivedAt, id: newEventId(receivedAt), ...changes });
  }

  async store(event: NewEvent, children: readonly NewEvent[] = []): Promise<NewEvent> {
    expect(await new EventLog(this.sql()).append(appendRequest(event, children))).toEqual({ outcome: 'appended' });
    return event;
  }

  private account(n: number): string {
    return `0b5c1f0e-5a52-4f0e-9d3c-2f6a1f${this.suite}${String(n).padStart(3, '0')}`;
  }
}
