/**
 * A stream continues a text that it marked as complete, or in a way that changes a part that was already released, or repeats a tool call
 * too often.
 */
export class StreamOrderError extends Error {
  override readonly name = 'StreamOrderError';
}
