/** A stream that goes on with a text after it said that the text was complete, or was taken at its word. */
export class StreamOrderError extends Error {
  override readonly name = 'StreamOrderError';
}
