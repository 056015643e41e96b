import fc from 'fast-check';
import { PLUGINS } from '../../plugins/index.js';
import {
  bindDetectors,
  codesOf,
  runScan,
  type BoundDetector,
  type DetectorBinding,
  type DetectorOutcome,
  type Segment,
} from '../core/index.js';
import { packFindings, SCAN_WORKER, type ScanAnswer, type ScanTask } from '../plugin-registry/index.js';
import { WorkerFailure, WorkerPool, type RunOptions } from '../workers/index.js';
import { ScanPool, type ScanThreads } from './scan-pool.js';

const RUNS = Number(process.env['WEIR_TEST_SCAN_RUNS'] ?? 6);
const OPTIONS: Readonly<Record<string, unknown>> = {
  keywords: { lists: { PROJECT: { words: ['Blue Harbor', 'Kestrel', 'straße'] }, RIVAL: { words: ['acme'] } } },
  regex: { patterns: { TICKET: [{ pattern: 'TCK-[0-9]{4,6}' }], PAIR: [{ pattern: 'aa' }] } },
};

/** Every detector that ships with Weir and reads texts itself, with all of its codes. */
function shippedBindings(): DetectorBinding[] {
  return PLUGINS.detectors.flatMap(({ kind, meta }): DetectorBinding[] => {
    if (kind === 'remote') return [];
    const options: unknown = meta.options.parse(OPTIONS[meta.id] ?? {});
    const { id, version, revision } = meta;
    return [
      {
        ...{ key: id, plugin: id, version, revision, options },
        codes: Object.keys(codesOf(meta, options)),
        minScore: {},
        timeoutMs: 120_000,
      },
    ];
  });
}

const bindings = shippedBindings();
const detectors = bindDetectors({ detectors: bindings }, PLUGINS);
const LIMITS = { nowMs: () => 0, deadlineMs: 120_000 };

const segment = (text: string, more: Partial<Segment> = {}): Segment => ({
  path: 'p',
  role: 'user',
  text,
  ref: 0,
  ...more,
});

/** The findings with and without cutting. */
async function bothWays(
  threads: ScanThreads,
  segments: readonly Segment[],
  pieceUnits: number,
  wanted: readonly BoundDetector[] = detectors,
  neighbours = false,
) {
  const pool = new ScanPool({ threads, fromUnits: 0, pieceUnits });
  const elsewhere = pool.for({ policy: 'digest', party: ['account', 'key'] }, detectors);
  const limits = { ...LIMITS, neighbours };
  return [await runScan(wanted, segments, { ...limits, elsewhere }), await runScan(wanted, segments, limits)] as const;
}

/** The differences between two outcomes, without the thousands of equal findings. */
function differences([cut, whole]: readonly [readonly DetectorOutcome[], readonly DetectorOutcome[]]): string[] {
  return cut.flatMap((outcome, index) => {
    const lines = (one: DetectorOutcome): string[] =>
      one.status === 'failed'
        ? [`${one.detector} ${one.reason}`]
        : one.findings.map(({ code, segment, start, end, score }) =>
            JSON.stringify([one.detector, code, segment, start, end, score]),
          );
    const [a, b] = [lines(outcome), lines(whole[index]!)];
    const inB = new Set(b);
    const inA = new Set(a);
    return [
      ...a.filter((line) => !inB.has(line)).map((line) => `more: ${line}`),
      ...b.filter((line) => !inA.has(line)).map((line) => `less: ${line}`),
    ];
  });
}

describe('Scanning long texts in threads', () => {
  const threads = new WorkerPool({
    file: SCAN_WORKER,
    threads: 2,
    memoryLimitMb: 1_024,
    idleMs: 60_000,
    data: { packages: [] },
  });

  afterAll(() => threads.close());

  const examples = PLUGINS.detectors.flatMap(({ meta }) => meta.examples.map(({ text }) => text));
  const ODD = [
    '\ufdfa',
    '\u200b',
    'e\u0323\u0302',
    '\u{e0041}',
    '１２３',
    '\\n',
    '\\u0041',
    'а',
    '\ud83d\ude00',
    '\ud800',
    'aa',
    '9',
    '-',
    'é',
  ];
  const piece = fc.oneof(
    { arbitrary: fc.constantFrom(...examples), weight: 5 },
    { arbitrary: fc.constantFrom(...ODD), weight: 2 },
    {
      arbitrary: fc.constantFrom(' ', '\n', '. ', ' my card is ', ' call ', ' password: ', 'Blue Harbor', 'TCK-12345'),
      weight: 2,
    },
    { arbitrary: fc.string({ maxLength: 6 }), weight: 1 },
    {
      arbitrary: fc
        .tuple(fc.constantFrom(...ODD, 'x', ' ', 'word '), fc.integer({ min: 1, max: 3_000 }))
        .map(([unit, times]) => unit.repeat(times)),
      weight: 1,
    },
  );
  const text = fc.array(piece, { minLength: 30, maxLength: 120 }).map((pieces) => pieces.join(''));

  // Detectors with a long reach make all pieces long, so the others are also run alone.
  const some = fc.oneof(fc.constant(detectors), fc.constantFrom(...detectors.map((one) => [one])));

  it(`finds the same as a scan of the whole text, wherever the text is cut (${RUNS} runs)`, async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 100, max: 1_500 }), some, async (long, pieceUnits, wanted) => {
        const segments = [segment(long), segment('short'), segment(long, { key: 'ssn' })];
        expect(differences(await bothWays(threads, segments, pieceUnits, wanted))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  }, 600_000);

  it('finds an address across a cut, between thousands of characters that expand to eighteen letters each', async () => {
    const text = `${'\ufdfa'.repeat(20_000)} mail ana.example@example.com ${'\ufdfa'.repeat(20_000)}`;
    const pii = detectors.filter(({ binding }) => binding.key === 'pii');
    const [cut] = await bothWays(threads, [segment(text)], 20_010, pii);
    expect(cut).toMatchObject([{ status: 'scanned', findings: [{ code: 'EMAIL', start: 20_006, end: 20_029 }] }]);
  });

  it('finds the same in thousands of small texts as a scan on this thread', async () => {
    const texts = Array.from({ length: 5_000 }, (_, index) =>
      segment(index % 999 === 0 ? `TCK-${4_000 + index}` : 'a'),
    );
    const tickets = detectors.filter(({ binding }) => binding.key === 'regex');
    const [there, here] = await bothWays(threads, texts, 512 * 1_024, tickets);
    expect(differences([there, here])).toEqual([]);
    expect(there[0]).toMatchObject({ status: 'scanned', findings: { length: 6 } });
  });

  const SPLIT = ['ana.example@corp.example', 'DE89370400440532013000', `${'AKIA'}IOSFODNN7QWERTYA`];
  const joint = fc.constantFrom('\n', '\n> ', '**', '" + "', '</td><td>', '-\n', '\ufe0f', '{}');
  const split = fc
    .tuple(fc.constantFrom(...SPLIT), fc.integer({ min: 3, max: 18 }), joint)
    .map(([value, at, sign]) => value.slice(0, at) + sign + value.slice(at));
  const encoded = fc
    .constantFrom(...SPLIT)
    .map((value) => Buffer.from(value).toString('base64').replace(/.{4}/g, '$& '));

  it('finds values that are split within a text, or encoded in it, as a scan on this thread does', async () => {
    const word = fc.oneof(split, encoded, fc.constantFrom(...SPLIT), fc.constant('word'));
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 8 }), fc.array(word, { maxLength: 8 }), async (one, other) => {
        const segments = [segment(one.join(' ')), segment('short'), segment(other.join(', '))];
        expect(differences(await bothWays(threads, segments, 10, detectors, true))).toEqual([]);
      }),
      { numRuns: 4 * RUNS },
    );
  }, 600_000);

  it('searches for split values on this thread if the other thread fails', async () => {
    const failing: ScanThreads = {
      run: (name, input, options) =>
        name === 'join' ? Promise.reject(new WorkerFailure('memory')) : threads.run(name, input, options),
    };
    const [there, here] = await bothWays(
      failing,
      [segment(`now ${Buffer.from('write to ana@corp.example today').toString('base64')} end`)],
      10,
      detectors,
      true,
    );
    expect(there).toEqual(here);
    expect(there).toContainEqual(
      expect.objectContaining({ detector: 'pii', findings: expect.arrayContaining([expect.anything()]) as unknown }),
    );
  });

  it('observes the deadline within a single long text', async () => {
    const hasty = detectors.map((detector) => ({ ...detector, binding: { ...detector.binding, timeoutMs: 40 } }));
    const elsewhere = new ScanPool({ threads, fromUnits: 0 }).for({ policy: 'hasty', party: ['a', 'k'] }, hasty);
    const long = 'Write to bob@corp.example or +49 170 1234567 about the key. '.repeat(100_000);
    const outcomes = await runScan(hasty, [segment(long)], { ...LIMITS, elsewhere });
    expect(outcomes.filter((outcome) => outcome.status === 'failed').length).toBeGreaterThan(1);
    for (const outcome of outcomes) if (outcome.status === 'failed') expect(outcome.reason).toBe('timeout');
  });
});

describe('A policy whose detector blocks the thread of the service with a short text', () => {
  it('has its short texts scanned in other threads from then on, but not those of other policies', async () => {
    let nowMs = 0;
    const asked: unknown[] = [];
    const threads = {
      run: (_name: string, _input: unknown, { long }: RunOptions) => Promise.resolve(void asked.push({ long })),
    } as unknown as ScanThreads;
    const pool = new ScanPool({ threads, fromUnits: 16_384 });
    const slow = detectors.slice(0, 1).map((detector) => ({ ...detector, scan: () => ((nowMs += 600), []) }));
    const scan = (policy: string) => {
      const elsewhere = pool.for({ policy, party: ['account', 'key'] }, slow);
      return runScan(slow, [segment('short')], { nowMs: () => nowMs, deadlineMs: 120_000, elsewhere });
    };
    for (const policy of ['one', 'other', 'one']) await scan(policy);
    expect(nowMs).toBe(1_200);
    // As a long task, it does not go before the short tasks of other calls.
    expect(asked).toEqual([{ long: true }]);
  });

  it('has them scanned by the service itself as before if the threads do not have that detector', async () => {
    let [nowMs, asked] = [0, 0];
    const threads = { run: () => Promise.resolve(void asked++) } as unknown as ScanThreads;
    const pool = new ScanPool({ threads, fromUnits: 16_384 });
    const [slow, quick] = detectors.map((detector) => ({ ...detector, scan: () => [] }));
    const both: BoundDetector[] = [
      { ...slow!, binding: { ...slow!.binding, options: { test: () => true } }, scan: () => ((nowMs += 600), []) },
      quick!,
    ];
    for (let call = 1; call <= 2; call++) {
      const elsewhere = pool.for({ policy: 'one', party: ['account', 'key'] }, both);
      await runScan(both, [segment('short')], { nowMs: () => nowMs, deadlineMs: 120_000, elsewhere });
    }
    expect([nowMs, asked]).toEqual([1_200, 0]);
  });
});

describe('A failing scan in worker threads', () => {
  const outcomesWith = async (run: (keys: readonly string[], call: number) => ScanAnswer): Promise<string[]> => {
    let calls = 0;
    const threads = {
      run: (_name: string, input: unknown) => Promise.resolve().then(() => run((input as ScanTask).keys, calls++)),
    } as ScanThreads;
    const [outcomes] = await bothWays(threads, [segment('one'), segment('two'), segment('six')], 3);
    return outcomes.map((one) => `${one.detector} ${one.status === 'failed' ? one.reason : 'scanned'}`);
  };
  const all = (status: string): string[] => detectors.map(({ binding }) => `${binding.key} ${status}`);
  const nothing = (keys: readonly string[]): ScanAnswer =>
    keys.map((key) => ({ key, workedMs: 1, findings: packFindings([[]]) }));

  it.each(['timeout', 'memory', 'crashed', 'threw', 'cancelled'] as const)(
    'makes its detectors fail, and never counts a text as scanned: %s',
    async (kind) => {
      const fail = (_keys: readonly string[], call: number): ScanAnswer => {
        if (call === 2) throw new WorkerFailure(kind);
        return nothing(_keys);
      };
      expect(await outcomesWith(fail)).toEqual(all(kind === 'timeout' ? 'timeout' : 'failed'));
    },
  );

  it('keeps the findings of the other detectors when one detector throws', async () => {
    const answer = (keys: readonly string[]): ScanAnswer =>
      keys.map((key) => ({ key, workedMs: 1, ...(key === 'pii' ? {} : { findings: packFindings([[]]) }) }));
    expect(await outcomesWith(answer)).toEqual(all('scanned').map((line) => line.replace('pii scanned', 'pii failed')));
  });

  it('counts a detector as failed if the answer of the thread leaves it out', async () => {
    const answer = (keys: readonly string[]): ScanAnswer => nothing(keys.filter((key) => key !== 'secrets'));
    expect(await outcomesWith(answer)).toContain('secrets failed');
  });

  it('is repeated with the settings of detectors only if its thread does not have them', async () => {
    const sent: boolean[] = [];
    const threads = {
      run: (_name: string, input: unknown) => {
        const { keys, bindings: settings } = input as ScanTask;
        sent.push(settings !== undefined);
        return Promise.resolve(sent.length === 1 ? 'unknown_set' : nothing(keys));
      },
    } as ScanThreads;
    const [outcomes] = await bothWays(threads, [segment('one'), segment('two')], 3);
    expect(outcomes.every(({ status }) => status === 'scanned')).toBe(true);
    expect(sent).toEqual([false, true, false]);
  });

  it('counts the CPU time of detectors, not their waiting time', async () => {
    const slow =
      (worked: number) =>
      (keys: readonly string[]): ScanAnswer =>
        keys.map((key) => ({ key, workedMs: worked, findings: packFindings([[]]) }));
    expect(await outcomesWith(slow(100))).toEqual(all('scanned'));
    expect(await outcomesWith(slow(50_000))).toEqual(all('timeout'));
  });
});
