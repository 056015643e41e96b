/** A text of a stream continues although the stream marked it as complete, or although it counted as complete. */
export class StreamOrderError extends Error {
  override readonly name = 'StreamOrderError';
}
