/** A body that says it holds text, in a form in which nobody here can read it as its receiver would. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
}
