import type { Segment } from '../model/call.js';
import type { DetectorBinding } from '../model/compiled-policy.js';
import type { BoundDetector } from './bind.js';
import { SharedReading } from './engine/shared-reading.js';
import { joinedTexts, type JoinMemory } from './joined-texts.js';
import type { Joined } from './split-values.js';
import { splitTexts } from './split-texts.js';
import { append, filtered, isStop, joinedLists, mapped, runInTurnsIfNeeded, type Steps } from '../steps/steps.js';
import type { AskRemote, RemoteResult } from './remote.js';
import type { DetectorOutcome, Finding, Findings, LocatedFinding } from '../model/finding.js';

/** The host provides the time: core has no clock. */
export interface ScanLimits {
  /** A monotonic clock in milliseconds, preferably the CPU time of this thread. Time in pauses does not count. */
  nowMs(): number;
  /** Limit for the work of all detectors together, in milliseconds. */
  readonly deadlineMs: number;
  /** Yields to other work between segments; called when a scan has blocked the thread for a while. */
  pause?(): Promise<void>;
  /** Cache of earlier findings of local detectors. Without it, every text is scanned. */
  readonly memory?: ScanMemory;
  /** Whether values that are split over parts of a message or over lines are joined; true for requests. */
  readonly neighbours?: boolean;
  /** Scans calls with long texts in other threads. Without it, all texts are scanned in this thread. */
  readonly elsewhere?: ScanElsewhere;
  /** Calls the services of remote detectors. Without it, remote detectors fail as not run. */
  readonly askRemote?: AskRemote;
}

/** Other threads in which detectors can scan. */
export interface ScanElsewhere {
  /** Minimum total length, in UTF-16 units, of texts that are scanned in other threads. */
  readonly fromUnits: number;
  /** Called when a detector that is known to the other threads has blocked this one for long with one text shorter than `fromUnits`. */
  noteSlow(): void;
  /** Whether the other threads have this detector. */
  knows(detector: BoundDetector): boolean;
  /** Scans texts in other threads and returns the results by detector key. A detector without a result has failed. */
  scan(
    detectors: readonly BoundDetector[],
    segments: readonly Segment[],
    deadlineMs: number,
  ): Promise<ReadonlyMap<string, RemoteResult>>;
  /** Minimum length of a text, in UTF-16 units, whose split values are searched in another thread. */
  readonly joinsFromUnits: number;
  /** Runs `joinsOf` in another thread; undefined if that thread failed. */
  joins(text: string, segment: number): Promise<readonly Joined[] | undefined>;
}

/**
 * Caches findings of repeated texts, such as the earlier messages of a conversation. A cached result must equal that of a scan of the
 * same text with the same role and key.
 */
export interface ScanMemory {
  of(segment: Segment): SegmentMemory;
}

/** The cached findings of one text, by the detector's key in the policy, and whether it has no split values. */
export interface SegmentMemory extends JoinMemory {
  recall(detector: string): readonly Finding[] | undefined;
  keep(detector: string, findings: Findings): void;
}

const PAUSE_AFTER_MS = 10;
/** The usual detectors take a hundredth of this time for the longest text that is scanned in this thread. */
const SLOW_TEXT_MS = 500;

/**
 * Runs every detector over every segment. A finding never stops the scan, because the fact snapshot needs all findings. The deadline
 * and each detector's own `timeoutMs` count the detectors' work, not waiting time, and are checked between segments. A detector that
 * throws, takes too long or was not started has a `failed` outcome without findings.
 *
 * Services and other threads start first, all in parallel; scans in this thread run meanwhile. Outcomes have the order of the
 * detectors.
 */
export async function runScan(
  detectors: readonly BoundDetector[],
  segments: readonly Segment[],
  limits: ScanLimits,
): Promise<DetectorOutcome[]> {
  const parted = splitTexts(segments);
  if (parted === undefined) return scanJoined(detectors, segments, limits);
  const outcomes = await scanJoined(detectors, parted.texts, limits);
  return eachInTurns(outcomes, limits, (outcome) => parted.located(outcome));
}

/** Runs steps, yielding to other work in between if they take long and the host supports it. */
function steadily<Result>(steps: Steps<Result>, { nowMs, pause }: ScanLimits): Promise<Result> | Result {
  return runInTurnsIfNeeded(steps, pause && { nowMs, pause });
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
  const shared = await steadily(mapped(segments, readingOf), limits);
  const memories = await memoriesOf(segments, limits);
  const joined =
    limits.neighbours === true
      ? await steadily(
          joinedTexts(segments, { known: await joinsElsewhere(segments, memories, limits), memories, shared }),
          limits,
        )
      : undefined;
  const joining = joined === undefined ? [] : detectors.filter(({ stream }) => stream !== undefined);
  if (joined === undefined || joining.length === 0) return scanTexts(detectors, segments, limits, { memories, shared });
  // Joined texts are only for detectors that search for patterns: a model needs complete texts, and a service is not called twice.
  const outcomes = await scanTexts(detectors, segments, limits, { more: joined.texts, memories, shared });
  return eachInTurns(outcomes, limits, (outcome) => joined.located(outcome));
}

type KnownJoins = ReadonlyMap<number, readonly Joined[]>;
const NO_JOINS: KnownJoins = new Map();

/** Runs `joinsOf` on long texts in other threads; the results are by segment. If a thread fails, its result is missing. */
function joinsElsewhere(
  segments: readonly Segment[],
  memories: readonly SegmentMemory[],
  { elsewhere }: ScanLimits,
): Promise<KnownJoins> | KnownJoins {
  const isLong = ({ text }: Segment): boolean => text.length >= (elsewhere?.joinsFromUnits ?? Infinity);
  return elsewhere !== undefined && segments.some(isLong) ? joinLongElsewhere(segments, memories, elsewhere) : NO_JOINS;
}

async function joinLongElsewhere(
  segments: readonly Segment[],
  memories: readonly SegmentMemory[],
  elsewhere: ScanElsewhere,
): Promise<KnownJoins> {
  const known = new Map<number, readonly Joined[]>();
  for (let segment = 0; segment < segments.length; segment++) {
    const { text } = segments[segment]!;
    if (text.length < elsewhere.joinsFromUnits || memories[segment]?.joinsNothing === true) continue;
    const joins = await elsewhere.joins(text, segment);
    if (joins !== undefined) known.set(segment, joins);
  }
  return known;
}

interface ScannedTexts {
  /** All texts for detectors that search for patterns: the texts of the call, then the joined ones. */
  readonly more?: readonly Segment[];
  /** The memories of the texts of the call; empty without a cache. */
  readonly memories: readonly SegmentMemory[];
  /** The shared readings of the texts of the call, released after the last detector. */
  readonly shared: (SharedReading | undefined)[];
}

const readingOf = ({ text }: Segment): SharedReading => new SharedReading(text);

/** The memory of each text; none without a cache. */
function memoriesOf(
  segments: readonly Segment[],
  limits: ScanLimits,
): Promise<readonly SegmentMemory[]> | readonly SegmentMemory[] {
  const { memory } = limits;
  if (memory === undefined) return [];
  return steadily(
    mapped(segments, (segment) => memory.of(segment)),
    limits,
  );
}

async function scanTexts(
  detectors: readonly BoundDetector[],
  segments: readonly Segment[],
  limits: ScanLimits,
  { more = segments, memories: own, shared }: ScannedTexts,
): Promise<DetectorOutcome[]> {
  const further = more === segments ? [] : more.slice(segments.length);
  const memories = further.length === 0 ? own : joinedLists([own, await memoriesOf(further, limits)]);
  const moved = await moveAllElsewhere(detectors, { segments, more, memories }, limits);
  const asked = detectors.map((detector) => ask(detector, segments, limits) ?? moved.get(detector));
  if (further.length > 0) append(shared, await steadily(mapped(further, readingOf), limits));
  const last = asked.lastIndexOf(undefined);
  // Created after all scans, because this time is not a detector's work.
  const outcomes: (() => Promise<DetectorOutcome> | DetectorOutcome)[] = [];
  const conclude = ({ binding }: BoundDetector, result: RemoteResult): void =>
    void outcomes.push(() => steadily(outcomeOf(binding, result), limits));
  // The time starts only now, because other work may have run before.
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
    let beforeMs = workedBeforeMs;
    const texts = detector.stream === undefined ? segments : more;
    for (let index = 0; index < texts.length && reason === undefined; index++) {
      reason = scanSegment(detector, { segment: texts[index]!, index, shared: shared[index] }, found, memories[index]);
      if (position === last) shared[index] = undefined;
      // Read once, because reading a thread's clock takes longer than scanning a word.
      const nowMs = limits.nowMs();
      const totalMs = nowMs - startedMs - pausedMs;
      if (totalMs > limits.deadlineMs || totalMs - workedBeforeMs > timeoutMs) reason ??= 'timeout';
      if (totalMs - beforeMs > SLOW_TEXT_MS) noteSlow(detector, texts[index]!, limits);
      beforeMs = totalMs;
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

/** Reports a slow scan, but not of a long text or by a detector that the other threads do not have. */
function noteSlow(detector: BoundDetector, { text }: Segment, { elsewhere }: ScanLimits): void {
  if (elsewhere === undefined || text.length >= elsewhere.fromUnits || !elsewhere.knows(detector)) return;
  elsewhere.noteSlow();
}

/** Calls the service of a remote detector; undefined for any other detector. */
function ask(
  { binding, remote }: BoundDetector,
  segments: readonly Segment[],
  limits: ScanLimits,
): Promise<DetectorOutcome> | DetectorOutcome | undefined {
  if (remote === undefined) return undefined;
  const { askRemote, deadlineMs } = limits;
  const outcome = (result: RemoteResult) => steadily(outcomeOf(binding, result), limits);
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
    for (let index = 0; index < found.length; index++) {
      const { code, start, end, score } = found.at(index)!;
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

/** Moves scans to other threads; detectors that search for patterns also scan the joined texts. */
function moveAllElsewhere(
  detectors: readonly BoundDetector[],
  texts: Texts,
  limits: ScanLimits,
): Promise<MovedScans> | MovedScans {
  const { elsewhere } = limits;
  const isShort = elsewhere === undefined || unitsOf(texts.more) < elsewhere.fromUnits;
  return isShort ? NO_MOVES : moveLongElsewhere(detectors, texts, limits);
}

async function moveLongElsewhere(
  detectors: readonly BoundDetector[],
  { segments, more, memories }: Texts,
  limits: ScanLimits,
): Promise<MovedScans> {
  const move = (by: readonly BoundDetector[], read: readonly Segment[]) =>
    steadily(moveElsewhere(by, read, memories, limits), limits);
  if (more === segments) return move(detectors, segments);
  const searching = detectors.filter(({ stream }) => stream !== undefined);
  const judging = detectors.filter(({ stream }) => stream === undefined);
  return new Map([...(await move(searching, more)), ...(await move(judging, segments))]);
}

type MovedScans = ReadonlyMap<BoundDetector, Promise<DetectorOutcome>>;
const NO_MOVES: MovedScans = new Map();

/** Starts scans in other threads. The result is empty if this thread scans all texts, for example because those not cached are short. */
function* moveElsewhere(
  detectors: readonly BoundDetector[],
  segments: readonly Segment[],
  memories: readonly SegmentMemory[],
  limits: ScanLimits,
): Steps<MovedScans> {
  const { elsewhere, deadlineMs } = limits;
  if (elsewhere === undefined || unitsOf(segments) < elsewhere.fromUnits) return NO_MOVES;
  const movable = detectors.filter((detector) => detector.remote === undefined && elsewhere.knows(detector));
  if (movable.length === 0) return NO_MOVES;
  const known: Known[] = [];
  for (const { binding } of movable) {
    known.push(yield* mapped(segments, (_segment, index) => memories[index]?.recall(binding.key)));
  }
  const indexes = yield* mapped(segments, (_segment, index) => index);
  const fresh = yield* filtered(indexes, (index) => known.some((found) => found[index] === undefined));
  const texts = yield* mapped(fresh, (index) => segments[index]!);
  if (unitsOf(texts) < elsewhere.fromUnits) return NO_MOVES;
  const scanning = elsewhere.scan(movable, texts, deadlineMs).catch(() => new Map<string, RemoteResult>());
  const concluded = ({ binding }: BoundDetector, position: number): Promise<DetectorOutcome> =>
    scanning.then((results) => {
      const result = results.get(binding.key) ?? ({ status: 'failed', reason: 'failed' } as const);
      return steadily(withKnown(binding, result, { known: known[position]!, fresh, memories }), limits);
    });
  return new Map(movable.map((detector, position) => [detector, concluded(detector, position)]));
}

/** A detector's cached findings for each text; undefined for texts to be scanned. */
type Known = readonly (readonly Finding[] | undefined)[];

interface Remembered {
  readonly known: Known;
  /** Indices of the texts that were scanned in other threads. */
  readonly fresh: readonly number[];
  readonly memories: readonly SegmentMemory[];
}

/** Merges the findings from other threads with the cached ones, and caches them. */
function* withKnown(
  binding: DetectorBinding,
  result: RemoteResult,
  { known, fresh, memories }: Remembered,
): Steps<DetectorOutcome> {
  if (result.status === 'failed') return yield* outcomeOf(binding, result);
  const findings: Findings[] = yield* mapped(known, (found) => found ?? []);
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
    const known = memory?.recall(key);
    if (known !== undefined) {
      into[index] = known;
      return undefined;
    }
    const { role, text, key: place } = segment;
    const findings = detector.scan(text, place === undefined ? { role } : { role, key: place }, shared);
    memory?.keep(key, findings);
    into[index] = findings;
    return undefined;
  } catch {
    // The error is dropped because its message may quote the text; the outcome names the failed detector.
    return 'failed';
  }
}
