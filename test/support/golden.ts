import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { WeirRun } from './run-weir.js';

const FOLDER = path.join(import.meta.dirname, '..', 'golden');

/**
 * Compares what a command printed, and how it ended, with test/golden/<name>.txt. With WEIR_UPDATE_GOLDEN=1 the file is
 * written instead: then the difference is for the reader of the commit.
 */
export function expectGolden(name: string, { exit, stdout, stderr }: WeirRun): void {
  const file = path.join(FOLDER, `${name}.txt`);
  const text = `${stdout}--- stderr\n${stderr}--- exit ${exit}\n`;
  if (process.env['WEIR_UPDATE_GOLDEN'] === '1') {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(readFileSync(file, 'utf8'));
}
