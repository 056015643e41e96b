/** The state of one export, and what happens to its rows, in words. */
import { counted } from '../parts/format.ts';
import type { Job } from './schedule-words.ts';

export const isOpen = ({ state }: Pick<Job, 'state'>): boolean => isMoving({ state }) || state === 'paused';
/** Whether the state or progress of an export may change without an action of the user. */
export const isMoving = ({ state }: Pick<Job, 'state'>): boolean => state === 'queued' || state === 'running';

/**
 * The button that resumes a failed export. The SHA-256 is set with the last row: then only the end of the upload is missing.
 *
 * @param next number of the next row, formatted
 */
export const resumeWords = ({ sha256 }: Pick<Job, 'sha256'>, next: string): string =>
  sha256 === null ? `Resume from row ${next}` : 'Complete the upload';

/** The loss if the export is cancelled or removed, in words. */
export function lossOf(job: Pick<Job, 'destination' | 'state' | 'resumable' | 'has_file' | 'rows'>): string {
  const isIncomplete = isOpen(job) || job.resumable;
  const rows = counted(job.rows, 'row');
  if (job.destination.kind === 's3') {
    if (isIncomplete) return `The incomplete upload of ${rows} to the bucket is discarded.`;
    return job.state === 'done'
      ? 'The file in the bucket is kept; only the entry in this list is removed.'
      : 'Only the entry in this list is removed.';
  }
  if (isIncomplete) return `The ${rows} written so far ${job.rows === 1 ? 'is' : 'are'} discarded.`;
  return job.has_file ? `The file of ${rows} is deleted.` : 'Its file was already deleted.';
}
