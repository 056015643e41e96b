import { table } from './markdown.js';
import { peers, type Answer, type Contender } from './peers.js';
import { json, prose, type Sample } from './samples.js';
import { bound, defaultDetectors } from './score.js';
import { machine, weir } from './speed-section.js';
import { medianSpeed, speedOf, startUp, warmUp, type Speed } from './speed.js';

/**
 * `npm run bench -- detectors`: compares the speed of the detectors with that of three other tools, on one thread,
 * alternating within one run, on texts generated from a seed. Also compares how many of the planted values each tool
 * finds.
 */
const ROUNDS = 10;
const TURNS = 5;
const PIECES = 24;

interface Row {
  readonly contender: Contender;
  readonly prose: Speed;
  readonly json: Speed;
  readonly quality: Quality;
}

interface Quality {
  /** Share of the planted values that were found, 0 to 1; only of the kinds that the tool looks for. */
  readonly found: number;
  /** Findings per 10^6 bytes of texts in which nothing is planted. */
  readonly falseHitsPerMb: number;
}

async function qualityOf(contender: Contender, planted: readonly Sample[], plain: readonly Sample[]): Promise<Quality> {
  let values = 0;
  let found = 0;
  for (const sample of planted) {
    const answer = await contender.ask(sample.text);
    for (const { kind, value, start, end } of sample.planted) {
      if (!contender.looksFor.includes(kind)) continue;
      values++;
      if (covers(answer, value, start, end)) found++;
    }
  }
  let hits = 0;
  let bytes = 0;
  for (const { text } of plain) {
    hits += hitsIn(await contender.ask(text));
    bytes += Buffer.byteLength(text);
  }
  return { found: found / values, falseHitsPerMb: hits / (bytes / 1e6) };
}

/** Whether an answer covers at least half of the value; for a tool that returns only masked text, whether the value is gone. */
function covers(answer: Answer, value: string, start: number, end: number): boolean {
  if ('redacted' in answer) return !answer.redacted.includes(value);
  return answer.ranges.some(([from, to]) => Math.min(to, end) - Math.max(from, start) >= (end - start) / 2);
}

/** Number of findings in an answer; masks of redact-pii are names in capital letters. */
function hitsIn(answer: Answer): number {
  return 'redacted' in answer ? (answer.redacted.match(/\b[A-Z]+_?[A-Z]+\b/g)?.length ?? 0) : answer.ranges.length;
}

async function run(contenders: readonly Contender[]): Promise<Row[]> {
  const samples = { prose: prose(11, PIECES), json: json(12, PIECES), plain: prose(13, PIECES, 0) };
  const rows: Row[] = [];
  const speeds = contenders.map(() => ({ prose: [] as Speed[], json: [] as Speed[] }));
  for (const contender of contenders) {
    await warmUp(contender, samples.prose);
    await warmUp(contender, samples.json);
  }
  for (let turn = 1; turn <= TURNS; turn++) {
    for (const [index, contender] of contenders.entries()) {
      speeds[index]!.prose.push(await speedOf(contender, samples.prose, ROUNDS));
      speeds[index]!.json.push(await speedOf(contender, samples.json, ROUNDS));
    }
    process.stderr.write(`turn ${turn} of ${TURNS}\n`);
  }
  for (const [index, contender] of contenders.entries()) {
    const quality = await qualityOf(contender, [...samples.prose, ...samples.json], samples.plain);
    rows.push({ contender, prose: medianSpeed(speeds[index]!.prose), json: medianSpeed(speeds[index]!.json), quality });
  }
  return rows;
}

function print(rows: readonly Row[]): void {
  const cells = rows.map(({ contender, prose: text, json: data, quality }) => [
    contender.name,
    text.mbPerSecond.toFixed(2),
    data.mbPerSecond.toFixed(2),
    text.ms2kB.toFixed(2),
    (quality.found * 100).toFixed(1),
    quality.falseHitsPerMb.toFixed(0),
  ]);
  const heads = ['one thread', 'prose MB/s', 'JSON MB/s', 'ms for 2 kB', 'planted found %', 'false hits per MB'];
  process.stdout.write(`${table(heads, cells)}\n\n`);
}

/** Prints the ratio of speeds of each detector and the tool that looks for the same kinds of values. */
function printRatios(rows: readonly Row[]): void {
  const named = (start: string): Row => rows.find(({ contender }) => contender.name.startsWith(start))!;
  const pairs = [
    ['Weir, all', 'openredaction'],
    ['Weir, pii', 'redact-pii'],
    ['Weir, secrets', 'secretlint'],
  ] as const;
  for (const [ours, theirs] of pairs) {
    const [one, other] = [named(ours), named(theirs)];
    const ratio = (pick: (row: Row) => Speed): string => (pick(one).mbPerSecond / pick(other).mbPerSecond).toFixed(1);
    process.stdout.write(
      `${one.contender.name} / ${other.contender.name}: prose ${ratio((row) => row.prose)}, JSON ${ratio((row) => row.json)}\n`,
    );
  }
}

process.stderr.write('installing the other tools\n');
const rows = await run([
  weir('Weir, all default detectors', defaultDetectors(), ['personal', 'secret']),
  weir('Weir, pii', [bound('pii')], ['personal']),
  weir('Weir, secrets', [bound('secrets')], ['secret']),
  ...(await peers()),
]);
process.stdout.write(
  `CPU time when warm, median of ${TURNS} turns of ${ROUNDS} rounds each, in turn; ${PIECES} made-up texts of 2 kB of each kind; ${machine()}\n\n`,
);
print(rows);
printRatios(rows);
const { compileMs, wholeMs } = await startUp(5);
process.stdout.write(
  `start-up: detectors ready after ${compileMs.toFixed(0)} ms of CPU time, with loading the modules ${wholeMs.toFixed(0)} ms\n`,
);
