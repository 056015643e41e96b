import { append } from '../steps/steps.js';
import type { TextHint } from '../detection/detector.js';
import { mayBeCallsWithin } from '../call/calls-within.js';
import { GrowingJson, type GrowingLeaf } from '../json/growing-json.js';
import type { TextEdit } from '../text/edit.js';
import type { KnownTokens } from '../redaction/restore.js';
import { TextRestore, TextScan, type DetectorFinding, type StreamDetectors } from './text-scan.js';

/** A finding in a leaf, with its position in the JSON text. A number with a finding is replaced as a whole. */
export type PlacedFinding = DetectorFinding & { readonly isNumber: boolean };
export type PlacedEdit = TextEdit & { readonly isNumber: boolean };

/** The findings that became certain with a piece. */
export interface LeavesFound {
  readonly findings: readonly PlacedFinding[];
  readonly restored: readonly PlacedEdit[];
}

interface OpenLeaf {
  readonly leaf: GrowingLeaf;
  readonly scan: TextScan;
  readonly restore: TextRestore;
  /** The last units of the leaf's received part. */
  tail: string;
  length: number;
}

/** The number of units of a leaf that are kept, to tell whether a position in it is inside a character. */
const TAIL_UNITS = 4_096;

/**
 * Reads the arguments of a tool call in the way in which the verdict on the whole call reads JSON: every key, string and long
 * number separately, decoded, with its key as context.
 */
export class LeavesReading {
  readonly json = new GrowingJson();
  /**
   * The start of the first string that may be JSON of calls within the call. The verdict on the whole call reads such a string leaf by
   * leaf, which this class does not.
   */
  withinFrom: number | undefined;
  private open: OpenLeaf | undefined;

  /** @param failed detectors that have failed; this class adds to it */
  constructor(
    private readonly detectors: StreamDetectors,
    private readonly tokens: KnownTokens,
    private readonly failed: Set<string>,
  ) {}

  /** The position in the JSON text before which all findings are reported. */
  get upTo(): number {
    const upTo = this.readUpTo;
    return this.withinFrom === undefined ? upTo : Math.min(upTo, this.withinFrom);
  }

  private get readUpTo(): number {
    if (this.open === undefined) return this.json.pendingFrom;
    const { leaf, scan, restore, tail, length } = this.open;
    const upTo = Math.min(scan.upTo, restore.upTo);
    const before = tail.charCodeAt(upTo - 1 - (length - tail.length));
    const isInsidePair = before >= 0xd800 && before <= 0xdbff;
    return Math.min(this.json.pendingFrom, leaf.offsets.rawOffset(isInsidePair ? upTo - 1 : upTo));
  }

  push(piece: string): LeavesFound {
    const findings: PlacedFinding[] = [];
    const restored: PlacedEdit[] = [];
    for (const leaf of this.json.push(piece)) {
      if (this.withinFrom === undefined && this.mayBeWithin(leaf)) this.withinFrom = leaf.offsets.rawOffset(0);
      const isNew = this.open?.leaf !== leaf;
      const found = isNew && leaf.isComplete ? this.readWhole(leaf) : this.readPiece(leaf);
      append(
        findings,
        found.findings.map((finding) => ({ ...finding, ...placeOf(leaf, finding) })),
      );
      for (const { start, end, replacement } of found.restored) {
        restored.push({ replacement: JSON.stringify(replacement).slice(1, -1), ...placeOf(leaf, { start, end }) });
      }
    }
    return { findings, restored };
  }

  /** Whether the text of a leaf so far may be the beginning of JSON of calls within the call. */
  private mayBeWithin(leaf: GrowingLeaf): boolean {
    const isBegun = this.open?.leaf === leaf && this.open.tail.trim() !== '';
    return leaf.kind === 'string' && !isBegun && mayBeCallsWithin(leaf.fresh, leaf.key);
  }

  /** Reads a leaf that arrived complete, as most leaves do, like any text. */
  private readWhole(leaf: GrowingLeaf): { findings: DetectorFinding[]; restored: TextEdit[] } {
    const findings: DetectorFinding[] = [];
    for (const { detector, codes } of this.detectors) {
      const { key } = detector.binding;
      if (this.failed.has(key)) continue;
      try {
        for (const finding of detector.scan(leaf.fresh, hintOfLeaf(leaf))) {
          if (codes.has(finding.code)) findings.push({ ...finding, detector: key });
        }
      } catch {
        // The error's message may quote the text, so it is discarded.
        this.failed.add(key);
      }
    }
    return { findings, restored: new TextRestore(this.tokens, 'call').push(leaf.fresh, true) };
  }

  private readPiece(leaf: GrowingLeaf): { findings: DetectorFinding[]; restored: TextEdit[] } {
    if (this.open?.leaf !== leaf) {
      this.open = {
        leaf,
        scan: new TextScan(this.detectors, hintOfLeaf(leaf), this.failed),
        restore: new TextRestore(this.tokens, 'call'),
        tail: '',
        length: 0,
      };
    }
    const { open } = this;
    open.length += leaf.fresh.length;
    open.tail = (open.tail + leaf.fresh).slice(-TAIL_UNITS);
    const findings = open.scan.push(leaf.fresh);
    const restored = open.restore.push(leaf.fresh, leaf.isComplete);
    if (!leaf.isComplete) return { findings, restored };
    this.open = undefined;
    return { findings: [...findings, ...open.scan.end()], restored };
  }
}

function hintOfLeaf({ key }: GrowingLeaf): TextHint {
  return { role: 'tool_call', ...(key === undefined ? {} : { key }) };
}

/** Maps a range of a leaf to the JSON text. For a number, it is the whole number, because a number with a replacement becomes a string. */
function placeOf(
  { kind, offsets, jsonLength }: GrowingLeaf,
  { start, end }: { readonly start: number; readonly end: number },
): { start: number; end: number; isNumber: boolean } {
  const isNumber = kind === 'number';
  return {
    start: offsets.rawOffset(isNumber ? 0 : start),
    end: isNumber ? offsets.rawOffset(0) + jsonLength : offsets.rawOffset(end),
    isNumber,
  };
}
