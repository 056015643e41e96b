import { bindDetectors, codesOf, type BoundDetector } from '../../src/core/index.js';
import { PLUGINS } from '../../plugins/index.js';
import { seededBelow } from './seeded-random.js';

/**
 * `fuzz-detectors.ts <strings> <seed>`: scans this number of odd strings with every shipped detector, then lines of a megabyte, and
 * prints the faults as JSON. It runs in its own process, because test runners make it ten times as slow.
 */
const [strings = 0, seed = 0] = process.argv.slice(2).map(Number);

/** Characters that often break text code: lone surrogates, combining marks without a letter, control characters, full-width digits. */
const ODD = [
  ...[
    '\ud800',
    '\udfff',
    '\ud83d',
    '\ude00',
    '\ud83d\ude00',
    '\u0000',
    '\u0301',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\ufffe',
  ],
  ...['\u{e0041}', '\uff11', '\u0661', '\u212a', '\u017f', '\u0130', '\u00df', '\r\n', '\u2028', '\\u00', '\\', '\\n'],
];
const COMMON = [...'abzAZ019 .,:;-_/@+()[]{}"\'=#%$&*<>|~^`\n\t'];

function detectors(): BoundDetector[] {
  const bindings = PLUGINS.detectors
    .filter(({ meta }) => meta.options.safeParse({}).success)
    .map(({ meta }) => {
      const options: unknown = meta.options.parse({});
      return {
        key: meta.id,
        plugin: meta.id,
        version: meta.version,
        revision: meta.revision,
        options,
        codes: Object.keys(codesOf(meta, options)),
        minScore: {},
        timeoutMs: Number.POSITIVE_INFINITY,
      };
    });
  return bindDetectors({ detectors: bindings }, PLUGINS);
}

/** Mixes pieces of examples with odd and common characters, so that patterns begin to match and then fail. */
function fuzzed(below: (limit: number) => number, examples: readonly string[]): string {
  let text = '';
  for (let parts = 1 + below(12); parts > 0; parts--) {
    const kind = below(4);
    const example = examples[below(examples.length)]!;
    const from = below(example.length);
    if (kind === 0) text += ODD[below(ODD.length)]!;
    else if (kind === 1) text += example.slice(from, from + 1 + below(24));
    else for (let units = below(6); units >= 0; units--) text += COMMON[below(COMMON.length)]!;
  }
  return text;
}

/** The fault of one scan, described without any part of the text. */
function faultOf({ scan }: BoundDetector, text: string): string | undefined {
  try {
    for (const { start, end, score } of scan(text, {})) {
      const inside = start >= 0 && start < end && end <= text.length;
      if (!inside || !(score > 0 && score <= 1)) return `a finding from ${start} to ${end} with score ${score}`;
    }
    return undefined;
  } catch (error) {
    return `${error instanceof Error ? error.name : 'something'} was thrown`;
  }
}

const LONG = ['\ud800', '\udc00', '\ud83d\ude00', '\u0301', '\\u00e9', 'é1@', 'Aa ', '1 '];

const bound = detectors();
const examples = PLUGINS.detectors.flatMap(({ meta }) => meta.examples.map(({ text }) => text));
const below = seededBelow(seed);
const faults: string[] = [];
const check = (name: string, text: string): void => {
  for (const detector of bound) {
    const fault = faultOf(detector, text);
    if (fault !== undefined) faults.push(`${detector.binding.key}, ${name}: ${fault}`);
  }
};
for (let index = 0; index < strings; index++) check(`string ${index}`, fuzzed(below, examples));
for (const [index, unit] of LONG.entries()) check(`line ${index}`, unit.repeat(1_000_000 / unit.length));
process.stdout.write(JSON.stringify({ strings, lines: LONG.length, faults: faults.slice(0, 20) }));
