import { availableParallelism, loadavg } from 'node:os';
import type { BoundDetector } from '../../src/core/index.js';
import { goal, table, type Goal } from './markdown.js';
import type { Contender } from './peers.js';
import { json, prose } from './samples.js';
import { bound, defaultDetectors, findTogether } from './score.js';
import { medianSpeed, speedOf, startUp, warmUp, type Speed } from './speed.js';
import type { Sample } from './samples.js';

const TURNS = 5;
const ROUNDS = 20;
const PIECES = 24;

/** A contender of the comparison that uses the given detectors. */
export function weir(name: string, detectors: readonly BoundDetector[], looksFor: Contender['looksFor']): Contender {
  return {
    name,
    looksFor,
    ask: (text) => ({ ranges: findTogether(detectors, text).map(({ start, end }) => [start, end]) }),
  };
}

/** The section on speed: on one thread, and the time until the detectors are ready. */
export async function speedSection(): Promise<string[]> {
  const [texts, data] = [prose(11, PIECES), json(12, PIECES)];
  const lines: string[][] = [];
  for (const [name, detectors, least] of [
    ['all default detectors', defaultDetectors(), 5],
    ['`pii`', [bound('pii')], undefined],
    ['`secrets`', [bound('secrets')], 10],
    ['`prompt-injection`', [bound('prompt-injection')], undefined],
  ] as const) {
    const contender = weir(name, detectors, []);
    const onProse = await middle(contender, texts);
    const onJson = await middle(contender, data);
    const goals: Goal[] =
      least === undefined ? [] : [{ value: Math.min(onProse.mbPerSecond, onJson.mbPerSecond), least }];
    lines.push([
      name,
      onProse.mbPerSecond.toFixed(1),
      onJson.mbPerSecond.toFixed(1),
      onProse.ms2kB.toFixed(2),
      goal(name.startsWith('all') ? [...goals, { value: onProse.ms2kB, most: 0.4, of: '2 kB' }] : goals),
    ]);
  }
  const { compileMs, wholeMs } = await startUp(TURNS);
  return [
    '## Speed',
    `One thread, made-up texts of 2 kB from a fixed seed, CPU time of ${ROUNDS} rounds when warm, median of ${TURNS} turns, on the machine that generated this page (${machine()}). \`npm run bench -- detectors\` measures the same for three other tools as well.`,
    table(['detectors', 'prose MB/s', 'JSON MB/s', 'ms for 2 kB', 'goal'], lines),
    `Start-up: all default detectors are ready after ${compileMs.toFixed(0)} ms of CPU time once their modules are loaded and the policy is compiled (median of ${TURNS} processes, goal at most 150 ${compileMs <= 150 ? '✓' : '✗'}); with loading the modules it is ${wholeMs.toFixed(0)} ms.`,
  ];
}

async function middle(contender: Contender, samples: readonly Sample[]): Promise<Speed> {
  const speeds: Speed[] = [];
  await warmUp(contender, samples);
  for (let turn = 0; turn < TURNS; turn++) speeds.push(await speedOf(contender, samples, ROUNDS));
  return medianSpeed(speeds);
}

/** Description of the machine: its number of processors and its load average. */
export function machine(): string {
  return `${availableParallelism()} processors, load average ${loadavg()[0]!.toFixed(1)}`;
}
