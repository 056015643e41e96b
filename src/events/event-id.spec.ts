import fc from 'fast-check';
import { firstEventIdAt, isUuid, newEventId } from './event-id.js';

const time = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

describe('a new event id', () => {
  it('is a UUIDv7 that carries its time', () => {
    const now = new Date();
    const id = newEventId(now);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(time(id) - now.getTime()).toBeLessThanOrEqual(10_000);
    expect(time(id)).toBeGreaterThanOrEqual(now.getTime());
  });

  it('is above the previous id, even within a millisecond and if the clock steps back a little', () => {
    const startMs = Date.now() + 100_000;
    let last = newEventId(new Date(startMs));
    for (let round = 0; round < 20_000; round += 1) {
      const id = newEventId(new Date(startMs + (round % 3) - 1));
      expect(id > last).toBe(true);
      last = id;
    }
    // 20,000 ids do not fit into three milliseconds: the time field has advanced, by no more than necessary.
    expect(time(last) - startMs).toBeLessThan(20);
  });

  it('follows a clock that was set back', () => {
    const id = newEventId(new Date('2020-02-02T00:00:00Z'));
    expect(time(id)).toBe(Date.parse('2020-02-02T00:00:00Z'));
  });
});

describe('the first id at an instant', () => {
  it('is not above any id of that instant, and is above all earlier ids', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }), (date) => {
        const first = firstEventIdAt(date.getTime());
        expect(isUuid(first)).toBe(true);
        expect(time(first)).toBe(date.getTime());
        expect(first.slice(13)).toBe('-0000-0000-000000000000');
      }),
    );
  });

  it('stays within the range of a UUID', () => {
    expect(firstEventIdAt(-5)).toBe('00000000-0000-0000-0000-000000000000');
    expect(firstEventIdAt(2 ** 60)).toBe('ffffffff-ffff-0000-0000-000000000000');
  });
});
