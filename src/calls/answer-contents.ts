import type { EmbeddedReading } from '../contents/index.js';
import type { DecodedCall, Edit, JsonDocument, StoredForm } from '../core/index.js';

/** The texts of a provider's answer in any form. */
export interface AnswerTexts {
  readonly call: DecodedCall;
  /** Whether a stream stopped before its provider's end marker. */
  readonly brokeOff?: boolean;
  /** The document of a JSON answer, which may contain files. */
  readonly doc?: JsonDocument;
  /** The files in the events of a stream, still unopened. */
  readonly beside?: EmbeddedReading;
  /** Returns the body with these edits and no other change. */
  edited(edits: readonly Edit[]): Promise<Buffer>;
  /**
   * The form for the log, with these edits applied; absent when there is nothing to store.
   * @param withUnread keeps content that no detector has read: images, audio
   * @param call the call with the texts of its files, in addition to its own
   */
  stored(edits: readonly Edit[], withUnread: boolean, call?: DecodedCall): Promise<StoredBody | undefined>;
}

/** The stored form of a body. */
export interface StoredBody {
  /** JSON text. */
  readonly payload: string;
  /** The places of the body's texts in the payload; absent if the payload does not contain them. */
  readonly form?: StoredForm;
}
