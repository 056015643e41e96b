import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/walks.js';

const SOURCES = globSync(['{src,cli,plugins}/**/*.ts', 'dashboard/src/**/*.{ts,tsx}'], { cwd: ROOT })
  .filter((file) => !/(?:\.spec\.tsx?|\.d\.ts)$|\/testdata\/|node_modules/.test(file))
  .sort();

/** The file of each folder that a reader opens first: the index, else the first file by name. */
function firstFiles(): string[] {
  const byFolder = new Map<string, string[]>();
  for (const file of SOURCES) byFolder.set(dirname(file), [...(byFolder.get(dirname(file)) ?? []), file]);
  return [...byFolder.values()].map((files) => files.find((file) => /\/index\.tsx?$/.test(file)) ?? files[0] ?? '');
}

function headOf(source: string): string {
  const [, head = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(source) ?? [];
  return head.replace(/\n\s*\*/g, ' ').trim();
}

/** The sentences of at least three words. */
function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.?!])\s+/).filter((sentence) => sentence.split(' ').length >= 3);
}

describe('folders', () => {
  it('have a description of two sentences at the head of their first file', () => {
    const silent = firstFiles().filter(
      (file) => sentencesOf(headOf(readFileSync(join(ROOT, file), 'utf8'))).length < 2,
    );
    expect(silent).toEqual([]);
  });
});
