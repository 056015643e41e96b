import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { WeirRun } from './run-weir.js';

const FOLDER = path.join(import.meta.dirname, '..', 'golden');

/**
 * Compares the output and exit code of a command with test/golden/<name>.txt. With WEIR_UPDATE_GOLDEN=1 the file is written first, and
 * the difference is reviewed in the commit.
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
