import { StringDecoder } from 'node:string_decoder';
import { ApiError } from '../api/index.js';

/** Yields the complete lines of a byte stream, one in memory at a time; text after the last line feed is not returned. */
export async function* wholeLines(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let held: string[] = [];
  for await (const part of parts) {
    const text = decoder.write(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      yield held.join('') + text.slice(from, at);
      held = [];
      from = at + 1;
    }
    if (from < text.length) held.push(text.slice(from));
  }
}

/** Parses a JSON line from the server. @throws ApiError */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new ApiError(0, 'bad_answer', 'the server sent a line that is not JSON');
  }
}
