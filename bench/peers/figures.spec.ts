import { figuresOf, ratioOf, type Round } from './figures.js';

const round = (more: Partial<Round> = {}): Round => ({
  requestsPerSecond: 100,
  micros: { main: 400, all: 500 },
  timesMs: [1, 2, 3],
  firstMs: [1, 1, 1],
  wrong: 0,
  memoryMib: 50,
  processes: 1,
  ...more,
});

describe('The figures of a gateway', () => {
  it('have the median, the minimum and the maximum of the rounds', () => {
    const figures = figuresOf('a', [
      round({ requestsPerSecond: 90, micros: { main: 300, all: 700 } }),
      round({ requestsPerSecond: 100, micros: { main: 200, all: 900 } }),
      round({ requestsPerSecond: 140, micros: { main: 900, all: 800 } }),
    ]);

    expect(figures).toMatchObject({
      requestsPerSecond: { median: 100, least: 90, most: 140 },
      microsMain: { median: 300, least: 200, most: 900 },
      microsAll: { median: 800, least: 700, most: 900 },
    });
  });

  it('have latencies that cover the calls of all rounds', () => {
    const figures = figuresOf('a', [round({ timesMs: [5, 1, 4] }), round({ timesMs: [2, 3] })]);

    expect(figures).toMatchObject({ calls: 5, p50Ms: 3 });
  });

  it('omit a quantile if too few calls lie beyond it', () => {
    const calls = (count: number): number[] => Array.from({ length: count }, (_, nth) => nth + 1);

    expect(figuresOf('a', [round({ timesMs: calls(100) })])).toMatchObject({ p99Ms: undefined, p999Ms: undefined });
    expect(figuresOf('a', [round({ timesMs: calls(1_000) })])).toMatchObject({ p99Ms: 990, p999Ms: undefined });
    expect(figuresOf('a', [round({ timesMs: calls(10_000) })])).toMatchObject({ p99Ms: 9_900, p999Ms: 9_990 });
  });

  it('have the maximum memory and number of processes', () => {
    const figures = figuresOf('a', [
      round({ memoryMib: 70, processes: 2 }),
      round({ memoryMib: 60, processes: 9 }),
      round({ memoryMib: undefined }),
    ]);

    expect(figures).toMatchObject({ memoryMib: 70, processes: 9 });
  });

  it('have no CPU time if it is missing in one round', () => {
    const figures = figuresOf('a', [round(), round({ micros: undefined })]);

    expect(figures).not.toHaveProperty('microsAll');
  });

  it('are void after a single wrong answer, and state the reason', () => {
    const figures = figuresOf('a', [round(), round({ wrong: 1, whyWrong: 'answered 503' })]);

    expect(figures).toEqual({ name: 'a', void: '1 of 7 answers were wrong: answered 503' });
  });

  it('are void if there was no answer', () => {
    expect(figuresOf('a', [round({ timesMs: [] })])).toEqual({
      name: 'a',
      void: '0 of 0 answers were wrong: no call was answered',
    });
  });
});

describe('The ratio of one gateway to another', () => {
  it('compares rounds with the same number, so that other load on the machine affects both gateways', () => {
    const quiet = { own: round({ requestsPerSecond: 50, micros: { main: 1, all: 2_000 } }), other: round() };
    const busy = {
      own: round({ requestsPerSecond: 5, micros: { main: 1, all: 4_000 } }),
      other: round({ requestsPerSecond: 10, micros: { main: 1, all: 1_000 } }),
    };

    expect(ratioOf('b', [quiet.own, busy.own], [quiet.other, busy.other])).toEqual({
      peer: 'b',
      micros: { median: 4, least: 4, most: 4 },
      requestsPerSecond: { median: 0.5, least: 0.5, most: 0.5 },
    });
  });

  it('has no CPU time if it is missing for one gateway', () => {
    expect(ratioOf('b', [round()], [round({ micros: undefined })])).toMatchObject({ micros: undefined });
  });
});
