/** A line of a stack that names a place in a file, in a module of Node.js, or in code without a file. */
const FRAME = /^ +at (?:.+ \()?(?:(?:file:\/\/|node:|\/|[A-Za-z]:\\)[^()]*:\d+:\d+|<anonymous>|native)\)?$/;

/**
 * The lines of an error's stack that name the places of the code. The message may quote input text, also on lines that begin like those of
 * a stack, so it is cut off first.
 *
 * @param error anything that was thrown
 */
export function stackFrames(error: unknown): readonly string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
  const { stack, message } = error;
  const start = stack.indexOf(message);
  // A message that was changed later is not in the stack, but the one before it is.
  if (start < 0) return stack.split('\n').filter((line) => FRAME.test(line));
  const [, ...lines] = stack.slice(start + message.length).split('\n');
  return lines.filter((line) => /^\s+at /.test(line));
}
