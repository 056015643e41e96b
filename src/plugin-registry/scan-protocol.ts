import { extname } from 'node:path';
import type { DetectorBinding, Piece, TextHint } from '../core/index.js';
import type { PackedFindings } from './packed-findings.js';
import type { PackedJoins } from './packed-joins.js';

/** The requests to a scanning thread, and its answers. Plain data, because it is structured-cloned. */
export interface ScanTask {
  /** The key under which the thread caches this set of detectors; equal sets have equal keys. */
  readonly set: string;
  /** All detectors of the set; absent if the thread should already have them. */
  readonly bindings?: readonly DetectorBinding[];
  /** Keys of the detectors that are to scan the texts. */
  readonly keys: readonly string[];
  readonly texts: readonly ScanText[];
}

export interface ScanText {
  /** The text from `piece.start` to `piece.end`. */
  readonly window: string;
  readonly piece: Piece;
  readonly hint: TextHint;
}

/** `unknown_set`: the task has to be sent again, with the bindings. */
export type ScanAnswer = 'unknown_set' | readonly DetectorAnswer[];

export interface DetectorAnswer {
  readonly key: string;
  /** CPU time that it took. */
  readonly workedMs: number;
  /** Absent where the detector failed. */
  readonly findings?: PackedFindings;
}

/** A request for the joins of one text, answered with `PackedJoins`. */
export interface JoinTask {
  readonly text: string;
}

export type JoinAnswer = PackedJoins;

/** What a thread needs to load the plugins of the service: the npm names of packages besides those that are shipped. */
export interface ScanWorkerData {
  readonly packages: readonly string[];
}

/** The file of the threads. It is next to this file, as .js when built and as .ts when run from source. */
export const SCAN_WORKER = new URL(`./scan-worker${extname(import.meta.url)}`, import.meta.url);
