import fc from 'fast-check';
import { BodyRoom, type BodyHold, type BodyParty } from './body-room.js';

const ROOM = 1_000_000;

interface Step {
  readonly party: BodyParty;
  readonly bytes: number;
  readonly passMs: number;
  readonly does: 'take' | 'come' | 'here' | 'end';
}

const steps = fc.array(
  fc.record<Step>({
    party: fc.tuple(fc.constantFrom('one', 'two'), fc.constantFrom('first', 'second', 'third')),
    bytes: fc.integer({ min: 1, max: ROOM }),
    passMs: fc.integer({ min: 0, max: 5_000 }),
    does: fc.constantFrom('take', 'take', 'come', 'here', 'end'),
  }),
  { maxLength: 200 },
);

describe('Room for bodies', () => {
  it('equals the bytes of its bodies, stays within the limit unless one body is alone, and is released completely', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let nowMs = 0;
        const room = new BodyRoom(ROOM, () => nowMs);
        const holds = new Set<BodyHold>();
        for (const { party, bytes, passMs, does } of all) {
          nowMs += passMs;
          const [first] = holds;
          if (does === 'take') {
            let isGivenUp = false;
            const hold = room.open({ party, announced: bytes, giveUp: () => (isGivenUp = holds.delete(hold)) });
            if (hold.reach(bytes)) holds.add(hold);
            expect(isGivenUp).toBe(false);
          } else if (does === 'come') first?.came(bytes);
          else if (does === 'here') first?.isHere();
          else if (first !== undefined) {
            first.end();
            first.end();
            holds.delete(first);
          }
          const taken = [...holds].reduce((sum, hold) => sum + hold.taken, 0);
          expect(room.takenBytes).toBe(taken);
          expect(taken <= ROOM || holds.size === 1).toBe(true);
        }
        for (const hold of holds) hold.end();
        expect(room.takenBytes).toBe(0);
      }),
    );
  });

  it('is left for the next sender, however many accounts and keys have taken room before', () => {
    const room = new BodyRoom(ROOM, () => 0);
    for (let index = 0; index < 40; index++) {
      const party = [`account-${index % 5}`, `key-${index}`] as const;
      while (room.open({ party, announced: 1_000, giveUp: () => undefined }).reach(1_000));
      const next = room.open({ party: ['polite', 'key'], announced: 1_000, giveUp: () => undefined });
      expect(next.reach(1_000)).toBe(true);
      next.end();
    }
  });

  it('is not taken from slow senders by a party that already has room', () => {
    let nowMs = 0;
    const room = new BodyRoom(ROOM, () => nowMs);
    const given: string[] = [];
    const open = (party: BodyParty, bytes: number): boolean =>
      room.open({ party, announced: bytes, giveUp: () => given.push(party.join('/')) }).reach(bytes);
    const slow = Array.from({ length: 6 }, (_, index) => open([`slow-${index}`, 'key'], 100_000));
    expect(slow).not.toContain(false);
    expect(open(['greedy', 'first'], 100_000)).toBe(true);
    nowMs = 60_000;
    const more = Array.from({ length: 20 }, (_, index) => open(['greedy', `key-${index % 4}`], 200_000));
    expect(given.filter((party) => !party.startsWith('greedy'))).toEqual([]);
    expect(more.filter(Boolean).length).toBeGreaterThan(0);
    expect(open(['polite', 'key'], 400_000)).toBe(true);
    expect(given.some((party) => party.startsWith('slow'))).toBe(true);
  });

  it('is not taken from slow senders if that would not be enough', () => {
    let nowMs = 0;
    const room = new BodyRoom(ROOM, () => nowMs);
    const given: string[] = [];
    const open = (name: string, bytes: number): boolean =>
      room.open({ party: [name, name], announced: bytes, giveUp: () => given.push(name) }).reach(bytes);
    const here = room.open({ party: ['here', 'here'], announced: 700_000, giveUp: () => given.push('here') });
    expect([here.reach(700_000), open('slow', 300_000)]).toEqual([true, true]);
    here.came(700_000);
    here.isHere();
    nowMs = 60_000;
    expect(open('large', 400_000)).toBe(false);
    expect(given).toEqual([]);
    expect(open('fits', 300_000)).toBe(true);
    expect(given).toEqual(['slow']);
  });
});
