import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { sampled } from '../../test/support/sampled.js';

const HOOKS = new URL('../../test/support/register-typescript.mjs', import.meta.url).href;
const SOURCE = new URL('./json-pieces.ts', import.meta.url).href;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Finds JSON in a text, in a process with so many regular expressions that V8 compiles further ones without a fast search. */
function foundIn(text: string): unknown {
  const program = `
    import { findingJson } from ${JSON.stringify(SOURCE)};
    const text = ${text};
    const steps = findingJson(text);
    let step = steps.next();
    while (!step.done) step = steps.next();
    console.log(JSON.stringify(step.value.map(({ start, end }) => text.slice(start, end))));`;
  const args = ['--no-regexp-optimization', '--import', HOOKS, '--input-type=module', '--eval', program];
  const { stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', timeout: 45_000 });
  return JSON.parse(stdout);
}

describe('JSON in a text, in a process with many regular expressions', () => {
  const texts = [
    ['blanks', String.raw`'x{}\n{"a":"b"}' + ' '.repeat(1_000_000)`],
    ['record separators and blanks', String.raw`'x{}\n{"a":"b"}' + '\x1e '.repeat(300_000)`],
    ['line feeds', String.raw`'x{}\n{"a":"b"}' + '\n'.repeat(1_000_000)`],
  ] as const;
  it.each(sampled(texts, 3))('is found before a megabyte of %s, which is searched once', (_, text) => {
    expect(foundIn(text)).toEqual(['{}', '{"a":"b"}']);
  });
});
