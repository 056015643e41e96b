/** Why a run of an export ends before its file is complete. */
import { WeirError } from '../http/index.js';

/** This process no longer holds the job: another one claimed it, or it was paused or ended. */
export class ExportTaken extends Error {
  override readonly name = 'ExportTaken';
}

/** The export cannot be created or continued; the message is shown to users. */
export class ExportRefused extends Error {
  override readonly name = 'ExportRefused';
}

/** The bucket no longer has the upload, so all parts are lost; the message is shown to users. */
export class UploadLost extends Error {
  override readonly name = 'UploadLost';

  constructor() {
    super('The bucket no longer has the incomplete upload');
  }
}

/**
 * Whether a failed export can be continued later from its last part. It cannot if this part is lost, or if the same order would be refused
 * again; an export that has used up the storage of its account frees it.
 */
export function mayBeResumed(error: unknown): boolean {
  return !(error instanceof UploadLost || error instanceof ExportRefused || error instanceof WeirError);
}
