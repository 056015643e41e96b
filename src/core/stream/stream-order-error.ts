/** A stream continues a text that it marked as complete, or in a way that changes a part that was already released. */
export class StreamOrderError extends Error {
  override readonly name = 'StreamOrderError';
}
