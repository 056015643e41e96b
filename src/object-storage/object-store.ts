/** Storage for whole objects, each with a key of segments separated by `/`. Writing to an existing key replaces the object. */
export interface ObjectStore {
  /** On disk, or acknowledged by the bucket, when it resolves. @throws NotStored */
  put(key: string, content: Uint8Array): Promise<void>;
  /** Null when there is no such object. @throws NotStored */
  get(key: string): Promise<Uint8Array | null>;
  /** Nothing is wrong with deleting what is not there. @throws NotStored */
  delete(key: string): Promise<void>;
  /** Keys of all objects, in no order. @throws NotStored */
  list(): AsyncIterable<string>;
  close(): Promise<void>;
}

/** The place could not be read or written; the message is for operators and holds no credential. */
export class NotStored extends Error {
  override readonly name = 'NotStored';
}
