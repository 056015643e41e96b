import { figuresOf, ratioOf, type Round } from './figures.js';
import { peersTable, type PeersRun } from './table.js';

const rounds = (micros: number): Round[] =>
  [0, 1, 2].map((nth) => ({
    requestsPerSecond: 100 + nth,
    micros: { main: micros / 2, all: micros },
    timesMs: [10, 20, 30],
    firstMs: [1, 2, 3],
    wrong: 0,
    memoryMib: 64,
    processes: 1,
  }));

const run = (more: Partial<PeersRun> = {}): PeersRun => ({
  at: '2026-01-02T03:04:05.000Z',
  machine: {
    processors: 2,
    processor: 'Some processor',
    memoryMib: 1_024,
    system: 'Linux',
    node: 'v24.0.0',
    load: 1,
    flushMs: { p50: 0.1, p99: 0.2 },
  },
  load: { least: 1.25, most: 9 },
  settings: { rounds: 3, seconds: 4, warmUpCalls: 100 },
  gateways: [{ name: 'Weir', version: '1.0.0', does: 'judges calls' }],
  missing: [{ name: 'Other', why: 'it is not installed' }],
  cold: [{ name: 'Slow', streamed: true, calls: 7 }],
  contests: [
    {
      name: 'Chat',
      streamed: false,
      callers: 1,
      rows: [figuresOf('Weir', rounds(900)), { name: 'Broken', void: '1 of 2 answers were wrong: answered 500' }],
      ratios: { Weir: [ratioOf('Portkey', rounds(900), rounds(300))] },
    },
  ],
  ...more,
});

describe('The table of gateways', () => {
  it('has a row of figures for each gateway, with their spread if they vary', () => {
    expect(peersTable(run())).toContain('| Weir | 900 | 450 | 101 (100 to 102) | 20.0 |  |  | 64 | 1 | 9 |');
  });

  it('reports a gateway with wrong answers as void, without figures', () => {
    expect(peersTable(run())).toContain('| Broken | void: 1 of 2 answers were wrong: answered 500 |');
  });

  it("has Weir's ratio to each other gateway", () => {
    expect(peersTable(run())).toContain('| to Portkey | 3.00 | 1.00 |');
  });

  it('has the time to the first byte only for streams', () => {
    const [contest] = run().contests;
    const streamed = peersTable(run({ contests: contest === undefined ? [] : [{ ...contest, streamed: true }] }));

    expect(streamed).toContain('| Weir | 900 | 450 | 101 (100 to 102) | 2.0 | 20.0 |  |  | 64 | 1 | 9 |');
    expect(peersTable(run()).join('\n')).not.toContain('first byte');
  });

  it('names gateways that were not measured or not fully warmed up, and the load of the machine', () => {
    const text = peersTable(run()).join('\n');

    expect(text).toContain('- Other: not measured, it is not installed.');
    expect(text).toContain('- Slow: had only 7 of 100 streams to warm up, and may be faster than its figures.');
    expect(text).toContain('load 1.3 to 9.0');
  });
});
