/** The reasons why an erasure makes no progress, in fixed words: the message of an error may contain the name of an object. */
import { PartChanged, PartDiffers } from '../events/index.js';
import { NotStored } from '../object-storage/index.js';
import { WorkerFailure } from '../workers/index.js';
import { ArchiveUnknown } from './erase-archived.js';
import { HoldsUnknown } from './holds.js';

/** Errors that an operator has to resolve, each with the next step. */
const PROBLEMS: readonly (readonly [kind: abstract new (...parameters: never[]) => Error, problem: string])[] = [
  [PartDiffers, 'A part of the archive is damaged or missing: run weir archive verify, and put its object back'],
  [WorkerFailure, 'A part of the archive could not be read: run weir archive verify'],
  [NotStored, 'The storage of the archive cannot be used: check it, and the settings of the archive on the server'],
  [PartChanged, 'Parts of the archive kept changing: wait until weir archive run or restore has ended'],
  [ArchiveUnknown, 'Events of the account are archived, but the server has no archive: set WEIR_ARCHIVE on it'],
  [HoldsUnknown, 'The legal holds are unknown, as the server does not run the latest deployment: run weir drift'],
];

/** @returns null for failures that may pass without help, and for bugs: the log of the server names them */
export function problemOf(error: unknown): string | null {
  return PROBLEMS.find(([kind]) => error instanceof kind)?.[1] ?? null;
}
