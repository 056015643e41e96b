import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { JsonSyntaxError, parseJson } from '../../src/core/index.js';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import { cannotRead, STDIN } from '../named-files.js';

/** One line of JSON with its line number. */
export interface JsonLine {
  /** The place for error messages, such as `line 17 of stdin`. */
  readonly place: string;
  /** The line number in its file, from 1. */
  readonly number: number;
  readonly value: unknown;
  readonly bytes: number;
}

const NEWLINE = 0x0a;
/** Maximum length of a line: each line is kept in memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Reads JSON lines from files (`-` is stdin), or from stdin without files. One line is in memory at a time; empty lines are skipped; a
 * byte order mark and CRLF line ends are accepted.
 *
 * @throws CliError (exit 2) naming the line that is too long, not UTF-8 or not JSON; its content is not repeated.
 */
export async function* readJsonLines(files: readonly string[], io: Io): AsyncGenerator<JsonLine> {
  if (files.length === 0 && io.stdin.isTTY === true) {
    throw usageError('nothing to read: name a file, or send JSON Lines to stdin');
  }
  for (const file of files.length === 0 ? [STDIN] : files) {
    const name = file === STDIN ? 'stdin' : file;
    let number = 0;
    for await (const line of splitLines(await open(file, io), name)) {
      number++;
      const place = `line ${number} of ${name}`;
      const text = decode(line, place);
      if (text.trim() === '') continue;
      yield { place, number, value: parse(text, place), bytes: line.length };
    }
  }
}

async function open(file: string, io: Io): Promise<Readable> {
  if (file === STDIN) return addAbortSignal(io.signal, io.stdin);
  const stream = createReadStream(resolve(io.cwd, file), { signal: io.signal });
  return await new Promise<Readable>((opened, failed) => {
    stream.once('open', () => opened(stream));
    stream.once('error', (error: NodeJS.ErrnoException) => failed(cannotRead(file, error)));
  });
}

async function* splitLines(stream: Readable, name: string): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let held = 0;
  let number = 1;
  const tooLong = (): never => {
    throw usageError(`line ${number} of ${name} is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB`);
  };
  for await (const piece of stream as AsyncIterable<Buffer | string>) {
    const chunk = typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece;
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      if (held + at - from > MAX_LINE_BYTES) tooLong();
      yield Buffer.concat([...parts, chunk.subarray(from, at)]);
      parts = [];
      held = 0;
      number++;
      from = at + 1;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    held += chunk.length - from;
    if (held > MAX_LINE_BYTES) tooLong();
  }
  if (held > 0) yield Buffer.concat(parts);
}

function decode(line: Buffer, place: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(line);
  } catch {
    throw usageError(`${place} is not UTF-8`);
  }
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(`${place} is not JSON${columnOf(text)}`);
  }
}

/** Finds the error with Weir's own parser, which is slower but reports the column; the message of V8 would quote the line. */
function columnOf(text: string): string {
  try {
    parseJson(text);
    return '';
  } catch (error) {
    return error instanceof JsonSyntaxError ? `, see column ${error.column}` : '';
  }
}
