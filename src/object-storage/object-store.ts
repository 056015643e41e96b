/** Storage for whole objects, each with a key of segments separated by `/`. Writing to an existing key replaces the object. */
export interface ObjectStore {
  /** Resolves when the object is on disk, or acknowledged by the bucket. @throws NotStored */
  put(key: string, content: Uint8Array): Promise<void>;
  /** Null when there is no such object. @throws NotStored */
  get(key: string): Promise<Uint8Array | null>;
  /** Succeeds if there is no such object. @throws NotStored */
  delete(key: string): Promise<void>;
  /** Keys of all objects, in no particular order. @throws NotStored */
  list(): AsyncIterable<string>;
  /** Ends requests in flight, and refuses further ones: they fail with `NotStored`. For the end of the service. */
  end(): void;
  /** Whether `end` was called. */
  readonly isEnded: boolean;
  close(): Promise<void>;
}

/** The storage could not be read or written; the message is for operators and contains no credential. */
export class NotStored extends Error {
  override readonly name = 'NotStored';
}
