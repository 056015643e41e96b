import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Finding, Findings, ScanMemory, Segment, SegmentMemory } from '../core/index.js';

/** The approximate memory of an entry and a finding, including objects and strings. */
const ENTRY_BYTES = 320;
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
const NOT_REMEMBERED: SegmentMemory = { recall: () => undefined, keep: () => undefined };

interface Entry {
  readonly findings: Map<string, readonly Finding[]>;
  readonly bytes: number;
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
  memory(policyDigest: string, appId: string): ScanMemory {
    return { of: (segment) => this.of(JSON.stringify([policyDigest, appId, segment.role, segment.key]), segment) };
  }

  /** The number of cached texts and their memory in bytes. */
  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.entries.size, bytes: this.entries.calculatedSize };
  }

  private of(scope: string, { text }: Segment): SegmentMemory {
    if (text.length > LONGEST_UNITS) return NOT_REMEMBERED;
    const digest = this.digestOf(scope, text);
    // Looked up once for all detectors.
    let known = this.entries.get(digest);
    return {
      recall: (detector) => known?.findings.get(detector),
      keep: (detector, findings) => {
        // Another call with the same text may have added findings meanwhile.
        known = this.keep(digest, this.entries.peek(digest) ?? known, detector, findings);
      },
    };
  }

  /** The digest never leaves the process, so a prefixed key is safe. */
  private digestOf(scope: string, text: string): string {
    const form = text.isWellFormed() ? UTF_8 : UTF_16;
    const named = `${this.key}${form}${scope}\n${text}`;
    return hash('sha256', form === UTF_8 ? named : Buffer.from(named, 'utf16le'), 'base64');
  }

  private keep(digest: string, before: Entry | undefined, detector: string, found: Findings): Entry {
    const findings = listOf(found);
    const bytes = (before?.bytes ?? ENTRY_BYTES) + DETECTOR_BYTES + findings.length * FINDING_BYTES;
    const all = (before?.findings ?? new Map<string, readonly Finding[]>()).set(detector, findings);
    const entry = { findings: all, bytes };
    this.entries.set(digest, entry);
    return entry;
  }
}

function listOf(findings: Findings): readonly Finding[] {
  if (Array.isArray(findings)) return findings as readonly Finding[];
  return Array.from({ length: findings.length }, (_, index) => findings.at(index)!);
}
