import { addAbortSignal } from 'node:stream';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';

const MAX_BYTES = 1_048_576;

/** Reads stdin completely, such as one policy file or one value. Ctrl-C and `--timeout` end the wait for it. */
export async function stdinText({ stdin, signal }: Io, maxBytes = MAX_BYTES): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of addAbortSignal(signal, stdin)) {
    const chunk = Buffer.from(part as Uint8Array | string);
    bytes += chunk.length;
    if (bytes > maxBytes) throw usageError(`stdin has more than ${maxBytes} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}
