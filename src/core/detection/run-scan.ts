import type { Segment } from '../model/call.js';
import type { DetectorBinding } from '../model/compiled-policy.js';
import type { BoundDetector } from './bind.js';
import { SharedReading } from './engine/shared-reading.js';
import { joinedTexts } from './joined-texts.js';
import { partedTexts } from './parted-texts.js';
import { atOnce, filtered, inTurns, mapped, isStop, type Steps } from '../steps/steps.js';
import type { AskRemote, RemoteResult } from './remote.js';
import type { Finding } from '../model/finding.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';

/** The host provides the time: core has no clock. */
export interface ScanLimits {
  /** Milliseconds that only grow, best those of processor time of this thread. What passes in a pause does not count. */
  nowMs(): number;
  /** For the work of all detectors together. */
  readonly deadlineMs: number;
  /** Lets other work run between segments; called when a scan has held the thread for a while. */
  pause?(): Promise<void>;
  /** What local detectors found before. Without it every text is scanned anew. */
  readonly memory?: ScanMemory;
  /** Whether values that are split over parts of a message or over lines are put together: for what a caller sends. */
  readonly neighbours?: boolean;
  /** Takes calls with long texts off this thread. Without it all texts are scanned here. */
  readonly elsewhere?: ScanElsewhere;
  /** Asks the services of remote detectors. Without it they are not run, which is a failure. */
  readonly askRemote?: AskRemote;
}

/** Other threads in which detectors can look. */
export interface ScanElsewhere {
  /** Texts that have so many units together are scanned there. */
  readonly fromUnits: number;
  /** Whether this detector is known there. */
  knows(detector: BoundDetector): boolean;
  /** What each detector has to say, by its key. One that is missing has failed. */
  scan(
    detectors: readonly BoundDetector[],
    segments: readonly Segment[],
    deadlineMs: number,
  ): Promise<ReadonlyMap<string, RemoteResult>>;
}

/**
 * Remembers findings of texts that come again, such as the earlier messages of a conversation. What it gives must be
 * what a scan of the same text with the same role and key would find now, or nothing.
 */
export interface ScanMemory {
  of(segment: Segment): SegmentMemory;
}

/** What is remembered about one text, by the detector's key in the policy. */
export interface SegmentMemory {
  recall(detector: string): readonly Finding[] | undefined;
  keep(detector: string, findings: readonly Finding[]): void;
}

const PAUSE_AFTER_MS = 10;

/**
 * Runs every detector over every segment. Nothing is cut short by a hit: the fact snapshot needs all findings.
 * The deadline and each detector's own `timeoutMs` count what detectors work, not what anything waits, and are checked
 * between segments; a detector that throws, works too long or was never reached is a `failed` outcome, and what it had
 * found until then does not count.
 *
 * Services and other threads are asked first and all at once; what is scanned here runs while they think. Outcomes keep
 * the detectors' order.
 */
export async function runScan(
  detectors: readonly BoundDetector[],
  segments: readonly Segment[],
  limits: ScanLimits,
): Promise<DetectorOutcome[]> {
  const parted = partedTexts(segments);
  if (parted === undefined) return scanJoined(detectors, segments, limits);
  const outcomes = await scanJoined(detectors, parted.texts, limits);
  return eachInTurns(outcomes, limits, (outcome) => parted.located(outcome));
}

/** Others have their turn between the steps, where the host can let them. */
function steadily<Result>(steps: Steps<Result>, { nowMs, pause }: ScanLimits): Promise<Result> {
  return pause === undefined ? Promise.resolve(atOnce(steps)) : inTurns(steps, { nowMs, pause });
}

async function eachInTurns(
  outcomes: readonly DetectorOutcome[],
  limits: ScanLimits,
  change: (outcome: DetectorOutcome) => Steps<DetectorOutcome>,
): Promise<DetectorOutcome[]> {
  const changed: DetectorOutcome[] = [];
  for (const outcome of outcomes) changed.push(await steadily(change(outcome), limits));
  return changed;
}

async function scanJoined(
  detectors: readonly BoundDetector[],
  segments: readonly Segment[],
  limits: ScanLimits,
): Promise<DetectorOutcome[]> {
  const joined = limits.neighbours === true ? await steadily(joinedTexts(segments), limits) : undefined;
  const joining = joined === undefined ? [] : detectors.filter(({ stream }) => stream !== undefined);
  if (joined === undefined || joining.length === 0) return scanTexts(detectors, segments, limits);
  // Patterns only: a model judges a text, and half of two is none. A service is not asked twice either.
  const outcomes = await scanTexts(detectors, segments, limits, joined.texts);
  return eachInTurns(outcomes, limits, (outcome) => joined.located(outcome));
}

/** @param more all texts for detectors that search for patterns: those of the call, and behind them others */
async function scanTexts(
  detectors: readonly BoundDetector[],
  segments: readonly Segment[],
  limits: ScanLimits,
  more: readonly Segment[] = segments,
): Promise<DetectorOutcome[]> {
  const { memory } = limits;
  const memories =
    memory === undefined
      ? []
      : await steadily(
          mapped(more, (segment) => memory.of(segment)),
          limits,
        );
  const moved = await moveAllElsewhere(detectors, { segments, more, memories }, limits);
  const asked = detectors.map((detector) => ask(detector, segments, limits) ?? moved.get(detector));
  // What the detectors share of a text; the last one leaves nothing behind.
  const shared: (SharedReading | undefined)[] = await steadily(
    mapped(more, ({ text }) => new SharedReading(text)),
    limits,
  );
  const last = asked.lastIndexOf(undefined);
  // Made when all is scanned: it is no detector's work.
  const outcomes: (() => Promise<DetectorOutcome>)[] = [];
  const conclude = ({ binding }: BoundDetector, result: RemoteResult): void =>
    void outcomes.push(() => steadily(outcomeOf(binding, result), limits));
  // From here on: before, others may have had turns, whose work is not that of these detectors.
  const startedMs = limits.nowMs();
  let sliceMs = startedMs;
  let pausedMs = 0;
  const workedMs = (): number => limits.nowMs() - startedMs - pausedMs;
  for (const [position, detector] of detectors.entries()) {
    const remote = asked[position];
    if (remote !== undefined) {
      outcomes.push(() => remote);
      continue;
    }
    const { timeoutMs } = detector.binding;
    const workedBeforeMs = workedMs();
    if (workedBeforeMs > limits.deadlineMs) {
      conclude(detector, { status: 'failed', reason: 'not_run' });
      continue;
    }
    const found: (readonly Finding[])[] = [];
    let reason: 'failed' | 'timeout' | undefined;
    const texts = detector.stream === undefined ? segments : more;
    for (let index = 0; index < texts.length && reason === undefined; index++) {
      reason = scanSegment(detector, { segment: texts[index]!, index, shared: shared[index] }, found, memories[index]);
      if (position === last) shared[index] = undefined;
      // Asked once: reading the clock of a thread takes longer than scanning a word.
      const nowMs = limits.nowMs();
      const totalMs = nowMs - startedMs - pausedMs;
      if (totalMs > limits.deadlineMs || totalMs - workedBeforeMs > timeoutMs) reason ??= 'timeout';
      if (limits.pause !== undefined && nowMs - sliceMs > PAUSE_AFTER_MS) {
        await limits.pause();
        sliceMs = limits.nowMs();
        pausedMs += sliceMs - nowMs;
      }
    }
    conclude(detector, reason === undefined ? { status: 'scanned', findings: found } : { status: 'failed', reason });
  }
  const concluded: DetectorOutcome[] = [];
  for (const outcome of outcomes) concluded.push(await outcome());
  return concluded;
}

/** Undefined for a detector that needs no service. */
function ask(
  { binding, remote }: BoundDetector,
  segments: readonly Segment[],
  limits: ScanLimits,
): Promise<DetectorOutcome> | undefined {
  if (remote === undefined) return undefined;
  const { askRemote, deadlineMs } = limits;
  const outcome = (result: RemoteResult): Promise<DetectorOutcome> => steadily(outcomeOf(binding, result), limits);
  if (askRemote === undefined) return outcome({ status: 'failed', reason: 'not_run' });
  return askRemote(remote, segments, Math.min(binding.timeoutMs, deadlineMs)).then(outcome, () =>
    outcome({ status: 'failed', reason: 'failed' }),
  );
}

function* outcomeOf({ key, plugin, revision }: DetectorBinding, result: RemoteResult): Steps<DetectorOutcome> {
  const identity = { detector: key, plugin, revision };
  if (result.status === 'failed') return { ...identity, ...result };
  const findings: LocatedFinding[] = [];
  for (const [segment, found] of result.findings.entries()) {
    if (isStop(segment)) yield;
    for (const finding of found) {
      const { code, start, end, score } = finding;
      findings.push({ code, start, end, score, detector: key, segment });
      if (isStop(findings.length)) yield;
    }
  }
  return { ...identity, status: 'scanned', findings };
}

interface Texts {
  readonly segments: readonly Segment[];
  readonly more: readonly Segment[];
  readonly memories: readonly SegmentMemory[];
}

/** Those that search for patterns have more to read where texts were put together. */
async function moveAllElsewhere(
  detectors: readonly BoundDetector[],
  { segments, more, memories }: Texts,
  limits: ScanLimits,
): Promise<MovedScans> {
  const move = (by: readonly BoundDetector[], read: readonly Segment[]): Promise<MovedScans> =>
    steadily(moveElsewhere(by, read, memories, limits), limits);
  if (more === segments) return move(detectors, segments);
  const searching = detectors.filter(({ stream }) => stream !== undefined);
  const judging = detectors.filter(({ stream }) => stream === undefined);
  return new Map([...(await move(searching, more)), ...(await move(judging, segments))]);
}

type MovedScans = ReadonlyMap<BoundDetector, Promise<DetectorOutcome>>;

/** Nothing where all texts are scanned here: those that are not known yet are short enough. */
function* moveElsewhere(
  detectors: readonly BoundDetector[],
  segments: readonly Segment[],
  memories: readonly SegmentMemory[],
  limits: ScanLimits,
): Steps<MovedScans> {
  const { elsewhere, deadlineMs } = limits;
  if (elsewhere === undefined || unitsOf(segments) < elsewhere.fromUnits) return new Map();
  const movable = detectors.filter((detector) => detector.remote === undefined && elsewhere.knows(detector));
  if (movable.length === 0) return new Map();
  const known: Known[] = [];
  for (const { binding } of movable) {
    known.push(yield* mapped(segments, (_segment, index) => memories[index]?.recall(binding.key)));
  }
  const indexes = yield* mapped(segments, (_segment, index) => index);
  const fresh = yield* filtered(indexes, (index) => known.some((found) => found[index] === undefined));
  const texts = yield* mapped(fresh, (index) => segments[index]!);
  if (unitsOf(texts) < elsewhere.fromUnits) return new Map();
  const scanning = elsewhere.scan(movable, texts, deadlineMs).catch(() => new Map<string, RemoteResult>());
  const concluded = ({ binding }: BoundDetector, position: number): Promise<DetectorOutcome> =>
    scanning.then((results) => {
      const result = results.get(binding.key) ?? ({ status: 'failed', reason: 'failed' } as const);
      return steadily(withKnown(binding, result, { known: known[position]!, fresh, memories }), limits);
    });
  return new Map(movable.map((detector, position) => [detector, concluded(detector, position)]));
}

/** What a detector found in each text before; undefined where it has to look. */
type Known = readonly (readonly Finding[] | undefined)[];

interface Remembered {
  readonly known: Known;
  /** Places of the texts that were scanned elsewhere. */
  readonly fresh: readonly number[];
  readonly memories: readonly SegmentMemory[];
}

/** What was found elsewhere, put among what was known, and remembered. */
function* withKnown(
  binding: DetectorBinding,
  result: RemoteResult,
  { known, fresh, memories }: Remembered,
): Steps<DetectorOutcome> {
  if (result.status === 'failed') return yield* outcomeOf(binding, result);
  const findings = yield* mapped(known, (found) => found ?? []);
  for (let place = 0; place < fresh.length; place++) {
    const index = fresh[place]!;
    findings[index] = result.findings[place]!;
    memories[index]?.keep(binding.key, findings[index]);
    if (isStop(place)) yield;
  }
  return yield* outcomeOf(binding, { status: 'scanned', findings });
}

function unitsOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { text }) => sum + text.length, 0);
}

interface Place {
  readonly segment: Segment;
  readonly index: number;
  readonly shared: SharedReading | undefined;
}

function scanSegment(
  detector: BoundDetector,
  { segment, index, shared }: Place,
  into: (readonly Finding[])[],
  memory: SegmentMemory | undefined,
): 'failed' | undefined {
  const { key } = detector.binding;
  try {
    const hint = { role: segment.role, ...(segment.key === undefined ? {} : { key: segment.key }) };
    const known = memory?.recall(key);
    const findings = known ?? detector.scan(segment.text, hint, shared);
    if (known === undefined) memory?.keep(key, findings);
    into[index] = findings;
    return undefined;
  } catch {
    // The error's message may quote the text: it is dropped, the outcome says which detector failed.
    return 'failed';
  }
}
