import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';

const MAX_CHARS = 1_048_576;

/** Reads stdin completely: one policy file, or one value. */
export async function stdinText(io: Io): Promise<string> {
  let text = '';
  io.stdin.setEncoding('utf8');
  for await (const chunk of io.stdin) {
    text += String(chunk);
    if (text.length > MAX_CHARS) throw usageError(`stdin has more than ${MAX_CHARS} characters`);
  }
  return text;
}
