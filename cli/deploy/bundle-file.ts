import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readBundle, type Bundle } from '../../src/core/index.js';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import { cannotRead } from '../named-files.js';

/**
 * Reads a bundle from a file.
 *
 * @throws CliError (exit 2) when it cannot be read, or is not a bundle
 */
export async function readBundleFile(file: string, io: Io): Promise<Bundle> {
  const text = await readTextFile(file, io);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usageError(`${file} is not a bundle: it is not JSON`);
  }
  const read = readBundle(value);
  if ('bundle' in read) return read.bundle;
  const [first] = read.problems;
  throw usageError(`${file} is not a bundle: ${first?.path ?? ''} ${first?.message ?? ''}`);
}

/** @throws CliError (exit 2) */
export async function readTextFile(file: string, io: Io): Promise<string> {
  try {
    return await readFile(resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw cannotRead(file, error);
  }
}
