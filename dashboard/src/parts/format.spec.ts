// The module of time zones reads the stored choice of the browser when it is loaded.
const stored = new Map([['weir.zone', 'Europe/Berlin']]);
Object.assign(globalThis, { localStorage: { getItem: (name: string) => stored.get(name) ?? null } });
const { ago, tableTime } = await import('./format.ts');
const { isLocalInput, LAST_LOCAL_INPUT, ofLocalInput } = await import('./zone.ts');

const NOW = Date.parse('2026-11-29T12:00:00Z');

describe('A time', () => {
  it('is relative within a day', () => {
    expect(ago('2026-11-29T11:57:00Z', NOW)).toMatch(/3/);
    expect(ago('2026-11-28T13:00:00Z', NOW)).toMatch(/23/);
    expect(ago('2026-11-29T14:00:00Z', NOW)).toMatch(/2/);
  });

  it('has its day and hour if it is further away, in the past and in the future', () => {
    for (const at of ['2026-11-27T11:00:00Z', '2026-12-24T11:00:00Z']) {
      expect(ago(at, NOW)).toBe(tableTime(at, NOW));
      expect(ago(at, NOW)).toMatch(/12:00/);
    }
  });
});

describe('The end of a day', () => {
  it('is a minute before midnight in the chosen time zone', () => {
    expect(ofLocalInput('2026-12-01T23:59')).toBe('2026-12-01T22:59:00.000Z');
    expect(ofLocalInput('2026-07-01T23:59')).toBe('2026-07-01T21:59:00.000Z');
  });
});

describe('A typed time', () => {
  it('is refused if its year has more than four digits, because such a time has no standard text', () => {
    expect(isLocalInput('12026-11-01T10:00')).toBe(false);
    expect(isLocalInput('122026-11-01T10:00')).toBe(false);
    expect(isLocalInput('')).toBe(false);
  });

  it('is accepted up to the last year of four digits', () => {
    for (const text of ['2026-11-01T10:00', LAST_LOCAL_INPUT]) {
      expect(isLocalInput(text)).toBe(true);
      expect(ofLocalInput(text)).toMatch(/^\d{4}-/);
    }
  });
});

export {};
