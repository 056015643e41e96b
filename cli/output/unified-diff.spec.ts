import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { gitPatch, type FileStates } from './unified-diff.js';

const text = fc.option(
  fc
    .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', '- x', '+ y'), { maxLength: 14 }), fc.boolean())
    .map(([lines, ends]) => lines.map((line) => `${line}\n`).join('') + (ends ? '' : 'end')),
  { nil: undefined },
);

describe('A patch', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-patch-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('transforms one state of the files into the other with git apply', () => {
    fc.assert(
      fc.property(text, text, text, text, (before, after, before2, after2) => {
        const files: FileStates[] = [
          { path: 'policies/production/a.yaml', before, after },
          { path: 'policies/tests/b c.yaml', before: before2, after: after2 },
        ];
        rmSync(folder, { recursive: true, force: true });
        for (const file of files) {
          const target = join(folder, file.path);
          mkdirSync(dirname(target), { recursive: true });
          if (file.before !== undefined) writeFileSync(target, file.before);
        }
        const patch = gitPatch(files);
        // A patch cannot show an empty file that is added or removed.
        fc.pre(files.every((file) => (file.before ?? 'x') !== '' && (file.after ?? 'x') !== ''));
        if (patch !== '')
          execFileSync('git', ['apply', '-'], { cwd: folder, input: patch, stdio: ['pipe', 'pipe', 'pipe'] });
        for (const file of files) {
          const target = join(folder, file.path);
          expect(existsSync(target) ? readFileSync(target, 'utf8') : undefined).toBe(file.after);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is empty without differences', () => {
    expect(gitPatch([{ path: 'a', before: 'x\n', after: 'x\n' }])).toBe('');
  });
});
