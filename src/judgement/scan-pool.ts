import {
  pieceReach,
  piecesOf,
  type BoundDetector,
  type Findings,
  type Joined,
  type RemoteResult,
  type ScanElsewhere,
  type Segment,
  type TextHint,
} from '../core/index.js';
import {
  addPacked,
  PackedList,
  unpackingJoins,
  type JoinAnswer,
  type JoinTask,
  type ScanAnswer,
  type ScanTask,
  type ScanText,
} from '../plugin-registry/index.js';
import { WorkerFailure, type RunOptions } from '../workers/index.js';
import { runCooperatively } from './cooperative-steps.js';

/**
 * The number of units of a text that are scanned at once. The pieces of a call are scanned in sequence, so that other calls can run in
 * between.
 */
const PIECE_UNITS = 512 * 1_024;
/** The number of texts that are scanned, and copied to a thread, at once. */
const PIECE_TEXTS = 2_048;
/** The time limit for binding detectors in a new thread; it is not counted as work of the call. */
const BINDING_MS = 10_000;
/** Shorter texts are searched for split values on the service's own thread: that takes a few milliseconds at most. */
const JOIN_UNITS = 65_536;
/** The maximum number of policies that are known to be slow. */
const SLOW_POLICIES = 1_000;
/** The CPU time that the search may take in a thread: usually 0.3 s for 10 MB. */
const JOIN_MS = 10_000;

/** The threads; a `WorkerPool`. */
export interface ScanThreads {
  run<Output>(name: string, input: unknown, options: RunOptions): Promise<Output>;
}

export interface ScanPoolOptions {
  readonly threads: ScanThreads;
  /** The total number of units from which a call's texts are scanned in threads. */
  readonly fromUnits: number;
  /** For tests: see `PIECE_UNITS`. */
  readonly pieceUnits?: number;
}

/** The owner of the texts, and the policy by which they are scanned. */
export interface ScanFor {
  /** The policy's digest. */
  readonly policy: string;
  /** The parties that take turns: account, key. */
  readonly party: readonly string[];
}

/**
 * Scans long texts in threads, cut into pieces that overlap by the reach of the detectors, so that the findings equal
 * those of a scan of the whole text. A detector that needs a whole text receives it in a separate thread. A failure in
 * a thread is an outcome of the detectors that ran there.
 */
export class ScanPool {
  private readonly cloneable = new WeakMap<BoundDetector, boolean>();
  /** The policies with a detector that blocked the service's own thread: their short texts are scanned in threads as well. */
  private readonly slow = new Set<string>();

  constructor(private readonly options: ScanPoolOptions) {}

  /** The option of `runScan` that moves long texts off this thread. */
  for({ policy, party }: ScanFor, all: readonly BoundDetector[]): ScanElsewhere {
    const isSlow = this.slow.has(policy);
    return {
      // Texts that are all known are looked up here.
      fromUnits: isSlow ? 1 : this.options.fromUnits,
      noteSlow: () => this.noteSlow(policy),
      knows: (detector) => this.isCloneable(detector),
      scan: (detectors, segments, deadlineMs) => {
        const known = all.filter((detector) => detector.remote === undefined && this.isCloneable(detector));
        const options = { ...this.options, policy, party, all: known, isSlow };
        return new ElsewhereScan(options, detectors, deadlineMs).run(segments);
      },
      joinsFromUnits: this.options.pieceUnits ?? JOIN_UNITS,
      joins: (text, segment) => this.joinsOf(text, segment, party),
    };
  }

  private noteSlow(policy: string): void {
    if (this.slow.size >= SLOW_POLICIES) this.slow.clear();
    this.slow.add(policy);
  }

  private async joinsOf(
    text: string,
    segment: number,
    party: readonly string[],
  ): Promise<readonly Joined[] | undefined> {
    const task: JoinTask = { text };
    try {
      const packed = await this.options.threads.run<JoinAnswer>('join', task, {
        workMs: JOIN_MS,
        for: party,
        long: true,
      });
      return await runCooperatively(unpackingJoins(packed, segment));
    } catch (error) {
      if (error instanceof WorkerFailure) return undefined;
      throw error;
    }
  }

  /** Parsed options can contain any value; a detector whose options cannot be cloned cannot be bound in a thread. */
  private isCloneable(detector: BoundDetector): boolean {
    let cloneable = this.cloneable.get(detector);
    if (cloneable === undefined) {
      cloneable = canClone(detector.binding);
      this.cloneable.set(detector, cloneable);
    }
    return cloneable;
  }
}

function canClone(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

interface ElsewhereOptions extends ScanPoolOptions, ScanFor {
  readonly all: readonly BoundDetector[];
  /** Whether also short texts may take long: they leave a thread to the calls of other policies. */
  readonly isSlow: boolean;
}

/** A part of a text and the index of its segment. */
interface Part {
  readonly segment: number;
  readonly text: ScanText;
}

interface Progress {
  workedMs: number;
  failed?: 'failed' | 'timeout';
  /** By text; texts without findings are absent: a call may have a million texts. */
  readonly findings: Map<number, PackedList>;
}

/** One call's scan. */
class ElsewhereScan {
  private readonly progress: ReadonlyMap<string, Progress>;
  private workedMs = 0;

  constructor(
    private readonly options: ElsewhereOptions,
    private readonly detectors: readonly BoundDetector[],
    private readonly deadlineMs: number,
  ) {
    this.progress = new Map(
      detectors.map(({ binding }) => [binding.key, { workedMs: 0, findings: new Map<number, PackedList>() }]),
    );
  }

  async run(segments: readonly Segment[]): Promise<ReadonlyMap<string, RemoteResult>> {
    const cut = this.detectors.filter(({ reach }) => reach !== undefined && reach !== 'whole_text');
    const whole = this.detectors.filter((detector) => !cut.includes(detector));
    const { pieceUnits: units = PIECE_UNITS, isSlow } = this.options;
    const long = segments.some(({ text }) => text.length > units);
    await Promise.all([
      this.inOrder(long ? cut : this.detectors, piecesOfAll(segments, cut, units), isSlow),
      ...(long ? whole : []).map((detector) => this.inOrder([detector], piecesOfAll(segments, [], Infinity), true)),
    ]);
    return new Map([...this.progress].map(([key, progress]) => [key, resultOf(progress, segments.length)]));
  }

  /** Batches of small texts and pieces of large ones, one after the other. */
  private async inOrder(detectors: readonly BoundDetector[], parts: Iterable<Part>, long: boolean): Promise<void> {
    for (const batch of batchesOf(parts, this.options.pieceUnits ?? PIECE_UNITS)) {
      const keys = detectors.map(({ binding }) => binding.key).filter((key) => this.leftMs(key) > 0);
      if (keys.length === 0) return;
      await this.scan(keys, batch, long);
    }
  }

  /** The remaining CPU time of a detector; 0 when it has none left or is done. */
  private leftMs(key: string): number {
    const { workedMs, failed } = this.progress.get(key)!;
    if (failed !== undefined) return 0;
    const { timeoutMs } = this.detectors.find(({ binding }) => binding.key === key)!.binding;
    return Math.min(timeoutMs - workedMs, this.deadlineMs - this.workedMs);
  }

  private async scan(keys: readonly string[], parts: readonly Part[], long: boolean): Promise<void> {
    const workMs = Math.min(
      this.deadlineMs - this.workedMs,
      keys.reduce((sum, key) => sum + this.leftMs(key), 0),
    );
    const task: ScanTask = { set: this.options.policy, keys, texts: parts.map(({ text }) => text) };
    const options = { workMs, for: this.options.party, long };
    try {
      const { threads, all } = this.options;
      let answer = await threads.run<ScanAnswer>('scan', task, options);
      if (answer === 'unknown_set') {
        const bindings = all.map(({ binding }) => binding);
        answer = await threads.run<ScanAnswer>(
          'scan',
          { ...task, bindings },
          { ...options, workMs: workMs + BINDING_MS },
        );
      }
      this.take(keys, parts, answer);
    } catch (error) {
      const reason = error instanceof WorkerFailure && error.kind === 'timeout' ? 'timeout' : 'failed';
      for (const key of keys) this.progress.get(key)!.failed ??= reason;
    }
  }

  private take(keys: readonly string[], parts: readonly Part[], answer: ScanAnswer): void {
    const answers = new Map(answer === 'unknown_set' ? [] : answer.map((one) => [one.key, one]));
    for (const key of keys) this.workedMs += answers.get(key)?.workedMs ?? 0;
    for (const key of keys) {
      const progress = this.progress.get(key)!;
      const one = answers.get(key);
      progress.workedMs += one?.workedMs ?? 0;
      if (one?.findings === undefined) progress.failed ??= 'failed';
      else if (this.leftMs(key) <= 0) progress.failed ??= 'timeout';
      else addPacked(one.findings, (part) => listOf(progress.findings, parts[part]!.segment));
    }
  }
}

function listOf(findings: Progress['findings'], text: number): PackedList {
  const known = findings.get(text) ?? new PackedList();
  findings.set(text, known);
  return known;
}

const NO_FINDINGS: Findings = [];

function resultOf({ failed, findings }: Progress, texts: number): RemoteResult {
  if (failed !== undefined) return { status: 'failed', reason: failed };
  const all = new Array<Findings>(texts).fill(NO_FINDINGS);
  for (const [text, list] of findings) all[text] = list;
  return { status: 'scanned', findings: all };
}

/** Pieces are created one by one when they are sent, so that a text is never in memory twice. */
function* piecesOfAll(segments: readonly Segment[], cut: readonly BoundDetector[], units: number): Iterable<Part> {
  const reach = pieceReach(cut) ?? { behind: 0, ahead: 0 };
  for (const [segment, { text, role, key }] of segments.entries()) {
    const hint: TextHint = { role, ...(key === undefined ? {} : { key }) };
    for (const piece of piecesOf(text.length, reach, units)) {
      yield { segment, text: { window: text.slice(piece.start, piece.end), piece, hint } };
    }
  }
}

function* batchesOf(parts: Iterable<Part>, units: number): Iterable<readonly Part[]> {
  let batch: Part[] = [];
  let size = 0;
  for (const part of parts) {
    const { length } = part.text.window;
    if (batch.length >= PIECE_TEXTS || (batch.length > 0 && size + length > units)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(part);
    size += length;
  }
  if (batch.length > 0) yield batch;
}
