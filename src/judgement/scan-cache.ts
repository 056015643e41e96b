import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Finding, Findings, ScanMemory, Segment, SegmentMemory } from '../core/index.js';

/** The approximate memory of an entry, including objects and strings. */
export const ENTRY_BYTES = 320;
/** The approximate memory of a detector and of a finding in an entry. */
const DETECTOR_BYTES = 80;
const FINDING_BYTES = 120;

/** Longer texts are not cached: hashing one would block the event loop. */
const LONGEST_UNITS = 1_048_576;
/**
 * Hashing in UTF-8 is faster, but all lone surrogates become the same character; texts with lone surrogates are hashed
 * in UTF-16.
 */
const UTF_8 = '8';
const UTF_16 = '16';
const NOT_REMEMBERED: SegmentMemory = {
  recall: () => undefined,
  keep: () => undefined,
  joinsNothing: false,
  keepJoinsNothing: () => undefined,
};

interface Entry {
  readonly findings: Map<string, readonly Finding[]>;
  readonly bytes: number;
  /** See `SegmentMemory`. */
  joinsNothing: boolean;
}

/** What the results of a scan depend on, besides the text, its role and its key. */
export interface ScanScope {
  /** The policy's digest. */
  readonly policy: string;
  readonly appId: string;
  /** The number of detectors of the policy. */
  readonly detectors: number;
}

/** Whether a list of texts was scanned before, as a whole, without any finding. */
export interface CleanTexts {
  readonly areKnown: boolean;
  /** To be called when all detectors have scanned the texts and found nothing. */
  keep(): void;
}

/**
 * Findings of previously scanned texts, so that a turn of a conversation costs only its new part. An entry is found by a keyed hash of the
 * text, its role and key, the policy's digest and the app. Entries therefore contain no text, other apps cannot derive from the duration
 * of a call which texts were scanned before, and after a change of a policy or detector no old findings are used. The least recently used
 * entries are dropped first.
 */
export class ScanCache {
  private readonly entries: LRUCache<string, Entry>;
  private readonly key = randomBytes(32).toString('base64');

  /** @param limitBytes maximum memory of all entries; 0 turns the cache off */
  constructor(private readonly limitBytes: number) {
    this.entries = new LRUCache({ maxSize: Math.max(1, limitBytes), sizeCalculation: ({ bytes }) => bytes });
  }

  /** The cache for the calls of one app under one policy. */
  memory(scope: ScanScope): ScanMemory {
    const prefix = `text ${nameOf(scope)}`;
    const empty = ENTRY_BYTES + DETECTOR_BYTES * scope.detectors;
    return { of: (segment) => this.of(prefix, segment, empty) };
  }

  /**
   * Looks up several texts at once, for texts that are the same in many calls, such as metadata.
   * @returns undefined for texts that are not cached together
   */
  cleanTexts(scope: ScanScope, segments: readonly Segment[]): CleanTexts | undefined {
    // The parts of a text that may be several are scanned as well.
    if (segments.some(({ cuts }) => cuts !== undefined)) return undefined;
    const units = segments.reduce((sum, { text, key = '' }) => sum + text.length + key.length, 0);
    if (units > LONGEST_UNITS) return undefined;
    const digest = this.digestOf(`list ${nameOf(scope)}${segments.map(lengthAndText).join('')}`);
    return {
      areKnown: this.entries.get(digest) !== undefined,
      keep: () => void this.entries.set(digest, { findings: new Map(), bytes: ENTRY_BYTES, joinsNothing: false }),
    };
  }

  /** The number of entries, for a text or a list of texts each, and their memory in bytes. */
  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.entries.size, bytes: this.entries.calculatedSize };
  }

  /** @param empty the memory of an entry without findings */
  private of(prefix: string, segment: Segment, empty: number): SegmentMemory {
    if (segment.text.length > LONGEST_UNITS) return NOT_REMEMBERED;
    const digest = this.digestOf(prefix + lengthAndText(segment));
    // Looked up once for all detectors.
    let known = this.entries.get(digest);
    return {
      recall: (detector) => known?.findings.get(detector),
      keep: (detector, findings) => {
        // Another call with the same text may have added findings meanwhile.
        known = this.keep(digest, this.entries.peek(digest) ?? known, { detector, findings, empty });
      },
      joinsNothing: known?.joinsNothing === true,
      keepJoinsNothing: () => {
        known = this.entries.peek(digest) ?? known ?? this.begin(digest, empty);
        known.joinsNothing = true;
      },
    };
  }

  /** The digest never leaves the process, so a prefixed key is safe. */
  private digestOf(text: string): string {
    const form = text.isWellFormed() ? UTF_8 : UTF_16;
    const named = `${this.key}${form}${text}`;
    return hash('sha256', form === UTF_8 ? named : Buffer.from(named, 'utf16le'), 'base64');
  }

  private keep(digest: string, before: Entry | undefined, { detector, findings: found, empty }: Kept): Entry {
    const findings = listOf(found);
    const all = (before?.findings ?? new Map<string, readonly Finding[]>()).set(detector, findings);
    // An entry has room for the names of all detectors from the beginning.
    if (before !== undefined && findings.length === 0) return before;
    const bytes = (before?.bytes ?? empty) + findings.length * FINDING_BYTES;
    const entry = { findings: all, bytes, joinsNothing: before?.joinsNothing === true };
    this.entries.set(digest, entry);
    return entry;
  }

  private begin(digest: string, empty: number): Entry {
    const entry = { findings: new Map<string, readonly Finding[]>(), bytes: empty, joinsNothing: false };
    this.entries.set(digest, entry);
    return entry;
  }
}

interface Kept {
  readonly detector: string;
  readonly findings: Findings;
  /** The memory of an entry without findings. */
  readonly empty: number;
}

/** Ids and digests contain no line ends. */
function nameOf({ policy, appId }: ScanScope): string {
  return `${policy}\n${appId}\n`;
}

/** A text with its role and key, in a form that no other text, role or key has and that may be followed by another. */
function lengthAndText({ role, key, text }: Segment): string {
  const named = key === undefined ? '' : `${key.length}:${key}`;
  return `${role} ${named}\n${text.length}:${text}`;
}

function listOf(findings: Findings): readonly Finding[] {
  if (Array.isArray(findings)) return findings as readonly Finding[];
  return Array.from({ length: findings.length }, (_, index) => findings.at(index)!);
}
