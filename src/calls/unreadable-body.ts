/** A body that two readers could interpret differently, or that cannot be read here as its receiver would. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';

  /** @param path the header that is the reason; empty for the body itself */
  constructor(
    message: string,
    readonly path = '',
  ) {
    super(message);
  }
}
