import fc from 'fast-check';
import {
  codesOf,
  streamByReach,
  type AnyDetector,
  type Finding,
  type OpenStream,
  type Reach,
  type Scan,
  type TextHint,
} from '../../src/core/index.js';

export interface DescribeOptions {
  /** Texts that bring a pattern close to its worst case when they are repeated up to 100 kB. */
  readonly attacks?: readonly string[];
  /** Bare matches from which generated texts are built, in addition to the plugin's own examples. */
  readonly fragments?: readonly string[];
  /** Options for `create`; by default the result of parsing `{}` with the schema. */
  readonly options?: unknown;
}

/**
 * Texts that made published detectors quadratic when repeated: dotted and dashed runs, digit groups, open quotes, capitals, schemes.
 */
const ATTACKS = [
  'a.',
  'a-',
  'a@',
  '@a.',
  '1 ',
  '1-',
  '1.',
  '12:',
  '1',
  'A',
  'a',
  ' ',
  '\n',
  '"',
  "='",
  'Aa ',
  'A. ',
  'aB1',
  '+1 (',
  'http://',
  'key=',
  'é',
  '\u200b1',
  '\ud83d',
];

/** The plugin contract as tests. A plugin's spec calls this once, and tests separately what the plugin finds and ignores. */
export function describeDetector(detector: AnyDetector, options: DescribeOptions = {}): void {
  const { meta } = detector;
  const chosen: unknown = options.options ?? meta.options.parse({});
  const infos = codesOf(meta, chosen);
  const codes = Object.keys(infos);
  const scanOf = (enabled: readonly string[]): Scan => detector.create(chosen, { codes: new Set(enabled) });
  const all = scanOf(codes);

  describe(`the detector contract of "${meta.id}"`, () => {
    it('declares an id, a version, a summary and at least one code', () => {
      expect(meta.id).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
      expect(meta.version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(meta.summary).toMatch(/^Finds .+\.$/);
      expect(codes.length).toBeGreaterThan(0);
      for (const info of Object.values(infos)) {
        expect(info.minScore).toBeGreaterThanOrEqual(0);
        expect(info.minScore).toBeLessThanOrEqual(1);
        expect(info.title).not.toBe('');
      }
    });

    it('rejects unknown options', () => {
      expect(meta.options.safeParse({ no_such_option: 1 }).success).toBe(false);
    });

    it.each(meta.examples.map((example, index) => [example.why ?? `number ${index + 1}`, example] as const))(
      'returns exactly the findings that the example declares: %s',
      (_why, example) => {
        const hint = example.key === undefined ? {} : { key: example.key };
        const found = all(example.text, hint).filter((finding) => finding.score >= infos[finding.code]!.minScore);
        expect(found.map(({ code, start, end }) => ({ code, text: example.text.slice(start, end) }))).toEqual(
          example.finds,
        );
      },
    );

    it('has an example for every code', () => {
      const shown = new Set(meta.examples.flatMap((example) => example.finds.map(({ code }) => code as string)));
      expect(codes.filter((code) => !shown.has(code))).toEqual([]);
    });

    it('returns well-formed findings for any string, and the same ones each time', () => {
      fc.assert(
        fc.property(anyText(detector, options.fragments ?? []), fc.option(fc.string()), (text, key) => {
          const hint: TextHint = key === null ? {} : { key };
          const findings = all(text, hint);
          expectWellFormed(findings, text, codes);
          expect(all(text, hint)).toEqual(findings);
        }),
        { numRuns: 500 },
      );
    });

    it('returns no finding of a disabled code', () => {
      fc.assert(
        fc.property(anyText(detector, options.fragments ?? []), fc.subarray(codes), (text, enabled) => {
          for (const finding of scanOf(enabled)(text)) expect(enabled).toContain(finding.code);
        }),
        { numRuns: 30 },
      );
    });

    if (meta.reach !== 'whole_text') describeReach(detector, all, meta.reach, options.fragments ?? []);

    const stream = all.stream ?? streamByReach(all, meta.reach);
    if (stream !== undefined) describeStream(detector, codes, all, stream, options.fragments ?? []);

    it('returns well-formed findings for a line of a megabyte', () => {
      const text = grow(
        `${nearMisses(detector)} ${detector.meta.examples.map(({ text: sample }) => sample).join(' ')}`,
        1_000_000,
      );
      expectWellFormed(all(text.replaceAll('\n', ' ')), text, codes);
    });

    it.each([
      ...[...ATTACKS, ...(options.attacks ?? [])].map((attack) => [JSON.stringify(attack), attack]),
      ['every example less its last character,', nearMisses(detector)],
    ])('takes about twice the time for twice the text: %s repeated', (_name, attack) => {
      expect(growth(all, attack)).toBeLessThan(4);
    });

    it('takes about twice the time for twice the text: each example without its last character, repeated', () => {
      const superlinear = detector.meta.examples
        .filter(({ text }) => text.length > 1)
        .map(({ finds, text }) => ({ codes: finds.map(({ code }) => code), growth: growth(all, text.slice(0, -1)) }))
        .filter((example) => example.growth >= 4);
      expect(superlinear).toEqual([]);
    });
  });
}

/** Measures the ratio of scan times for 100 kB and 50 kB of a repeated text; up to five attempts, because other processes disturb it. */
function growth(scan: Scan, attack: string): number {
  scan(grow(attack, 5_000));
  let ratio = Infinity;
  for (let attempt = 0; attempt < 5 && ratio >= 4; attempt++) {
    const half = timeMs(() => scan(grow(attack, 50_000)));
    const full = timeMs(() => scan(grow(attack, 100_000)));
    ratio = full / Math.max(half, 2);
  }
  return ratio;
}

function describeReach(
  detector: AnyDetector,
  scan: Scan,
  reach: Exclude<Reach, 'whole_text'>,
  fragments: readonly string[],
): void {
  it('returns the same findings for a part of a text, scanned with its reach on each side, as for the complete text', () => {
    fc.assert(
      fc.property(longText(detector, fragments), fc.nat(), fc.nat(), (text, a, b) => {
        const from = Math.min(a % (text.length + 1), b % (text.length + 1));
        const to = Math.max(a % (text.length + 1), b % (text.length + 1));
        const cutFrom = Math.max(0, from - reach.behind);
        const cutTo = Math.min(text.length, to + reach.ahead);
        const inside = ({ start }: Finding): boolean => start >= from && start < to;
        const cut = scan(text.slice(cutFrom, cutTo)).map((finding) => ({
          ...finding,
          start: finding.start + cutFrom,
          end: finding.end + cutFrom,
        }));
        expect(cut.filter(inside)).toEqual(scan(text).filter(inside));
      }),
      { numRuns: 200 },
    );
  });
}

function describeStream(
  detector: AnyDetector,
  codes: readonly string[],
  scan: Scan,
  open: OpenStream,
  fragments: readonly string[],
): void {
  it('finds the same in a text that arrives in pieces as in the complete text, and releases no text of a finding too early', () => {
    fc.assert(
      fc.property(
        anyText(detector, fragments),
        fc.array(fc.nat(), { maxLength: 60 }),
        fc.oneof(fc.constant(codes), fc.subarray([...codes])),
        fc.option(fc.string()),
        (text, cuts, asked, key) => {
          const hint: TextHint = key === null ? {} : { key };
          const wanted = new Set(asked);
          const whole = scan(text, hint).filter(({ code }) => wanted.has(code));
          const places = [...new Set([...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort(
            (a, b) => a - b,
          );
          const stream = open(hint, wanted);
          const released: Finding[] = [];
          let from = 0;
          for (const place of [...places, undefined]) {
            const { findings, upTo } = place === undefined ? stream.end() : stream.push(text.slice(from, place));
            from = place ?? from;
            released.push(...findings);
            for (const late of whole.slice(released.length)) expect(late.start).toBeGreaterThanOrEqual(upTo);
          }
          expect(released).toEqual(whole);
        },
      ),
      { numRuns: 300 },
    );
  });
}

function expectWellFormed(findings: readonly Finding[], text: string, codes: readonly string[]): void {
  const ends = new Map<string, number>();
  let previous = 0;
  const wrong = findings.filter(({ code, start, end, score }) => {
    const inside = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && end > start && end <= text.length;
    const sorted = start >= previous && start >= (ends.get(code) ?? 0);
    previous = start;
    ends.set(code, end);
    return !(codes.includes(code) && inside && sorted && score > 0 && score <= 1);
  });
  expect(wrong).toEqual([]);
}

/** A piece of a generated text: a match, a part of one, or noise such as lone surrogates, invisible characters and other scripts. */
function piece(detector: AnyDetector, fragments: readonly string[]): fc.Arbitrary<string> {
  const texts = [...detector.meta.examples.map((example: { text: string }) => example.text), ...fragments];
  const known = texts.length === 0 ? fc.constant('') : fc.constantFrom(...texts);
  return fc.oneof(
    { weight: 4, arbitrary: known },
    {
      weight: 2,
      arbitrary: fc.tuple(known, fc.nat(), fc.nat()).map(([text, a, b]) => {
        const from = a % (text.length + 1);
        return text.slice(from, from + (b % (text.length + 1)));
      }),
    },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(' ', '\n', ', ', '-', '"', '": "', '\u200b', '\ud800', '٣', 'ｆ', 'а', '\u0301'),
    },
  );
}

function anyText(detector: AnyDetector, fragments: readonly string[]): fc.Arbitrary<string> {
  return fc.array(piece(detector, fragments), { maxLength: 12 }).map((pieces) => pieces.join(''));
}

function longText(detector: AnyDetector, fragments: readonly string[]): fc.Arbitrary<string> {
  return fc.array(piece(detector, fragments), { minLength: 20, maxLength: 120 }).map((pieces) => pieces.join(''));
}

/** The matches of all examples without their last characters, so that a pattern fails as late as possible. */
function nearMisses({ meta }: AnyDetector): string {
  const matches = meta.examples.flatMap(({ finds }) => finds.map(({ text }) => text.slice(0, -1)));
  return `${matches.join(' ')} `;
}

function grow(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

/** Runs a function; returns the CPU time of this thread in milliseconds, so that other work of the machine does not count. */
function timeMs(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
