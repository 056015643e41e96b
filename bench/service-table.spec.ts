import { serviceTable, type ServiceRun } from './service-table.js';

const result = { requestsPerSecond: 1_000, p50Ms: 20, p99Ms: 50, p999Ms: 90, calls: 4_000 };

function run(change: Partial<ServiceRun> = {}, databaseMicros?: number): ServiceRun {
  return {
    at: '2026-11-30T22:00:00.000Z',
    machine: {
      processors: 2,
      processor: 'AMD EPYC',
      memoryMib: 24_000,
      system: 'Linux',
      node: 'v24.21.0',
      load: 1.5,
      flushMs: { p50: 0.2, p99: 0.4 },
    },
    settings: {
      connections: 32,
      rounds: 5,
      seconds: 4,
      repeatedPercent: 0,
      traffic: {
        seed: 16,
        shapes: [
          { name: 'chat', percent: 50, bytes: 1_840 },
          { name: 'agent', percent: 25, bytes: 5_210 },
          { name: 'rag', percent: 25, bytes: 6_000 },
        ],
        maskedPercent: 20,
        ownIdPercent: 50,
      },
    },
    database: 'postgresql',
    rows: [
      {
        name: 'Weir, proxy',
        floorName: 'bare undici pass-through',
        floor: { ...result, requestsPerSecond: 9_000 },
        weir: result,
        ratio: 1 / 9,
        addedMs: 3.456,
        micros: { main: 900, all: 1_100 },
        databaseMicros,
        memoryMib: 490,
      },
    ],
    ...change,
  };
}

const rowOf = (lines: readonly string[]): readonly string[] =>
  (lines.find((line) => line.startsWith('| Weir')) ?? '').split('|').map((cell) => cell.trim());
const [, ...head] =
  serviceTable(run())[0]
    ?.split('|')
    .map((cell) => cell.trim()) ?? [];
/** The cell of the row of Weir below a word of the head. */
const cellOf = (lines: readonly string[], column: string): string | undefined =>
  rowOf(lines).slice(1)[head.indexOf(column)];

describe('The table of the service bench', () => {
  it('has the CPU time of PostgreSQL beside that of the process, and says what each is', () => {
    const lines = serviceTable(run({}, 321));
    expect([cellOf(lines, 'all threads'), cellOf(lines, 'PostgreSQL')]).toEqual(['1100', '321']);
    expect(lines.join(' ')).toContain("of Weir's process, and of all processes of PostgreSQL");
  });

  it('says that the CPU time of PostgreSQL was not measured, rather than showing none', () => {
    const lines = serviceTable(run());
    expect(cellOf(lines, 'PostgreSQL')).toBe('not measured');
    expect(lines.join(' ')).toContain('without the processes of PostgreSQL');
  });

  it('says that the process includes an embedded database', () => {
    const lines = serviceTable(run({ database: 'embedded' }));
    expect(cellOf(lines, 'PostgreSQL')).toBe('included');
    expect(lines.join(' ')).toContain('which includes the embedded database');
  });

  it('describes the calls: shapes with sizes, masked calls, own ids, seed and limits', () => {
    const text = serviceTable(run()).join(' ');
    expect(text).toContain(
      'Calls: 50 % turns of chats (1.8 kB), 25 % steps of agents with tools (5.2 kB), 25 % questions with documents (6.0 kB)',
    );
    expect(text).toContain('20 % of them have e-mail addresses, which are masked; 50 % of the events have an id');
    expect(text).toContain('seed 16. A budget and rate limits that refuse nothing are on.');
    expect(text).not.toContain('too good');
  });

  it('says of a run of an older version when it was, and what it left out', () => {
    const { traffic: _, ...settings } = run().settings;
    const text = serviceTable(run({ at: '2026-11-27T16:00:00.000Z', settings })).join(' ');
    expect(text).toContain('Measured on 2026-11-27');
    expect(text).toContain('These figures are too good');
    expect(text).toContain('neither a budget nor a rate limit');
  });
});
