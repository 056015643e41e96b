import type { FileHandle } from 'node:fs/promises';

const STEP = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * Reads the last complete line of a file. `end` is the offset after its line feed (0 if there is no complete line); any text after it
 * belongs to a truncated line.
 */
export async function lastWholeLine(file: FileHandle): Promise<{ readonly line?: string; readonly end: number }> {
  const { size } = await file.stat();
  const end = await lastNewline(file, size);
  if (end < 0) return { end: 0 };
  const start = (await lastNewline(file, end)) + 1;
  const bytes = Buffer.alloc(end - start);
  await file.read(bytes, 0, bytes.length, start);
  return { line: bytes.toString('utf8'), end: end + 1 };
}

/** Finds the offset of the last line feed before `end`; -1 if there is none. */
async function lastNewline(file: FileHandle, end: number): Promise<number> {
  const buffer = Buffer.alloc(STEP);
  for (let to = end; to > 0; to -= STEP) {
    const from = Math.max(0, to - STEP);
    const { bytesRead } = await file.read(buffer, 0, to - from, from);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (at >= 0) return from + at;
  }
  return -1;
}
