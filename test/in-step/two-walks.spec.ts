import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf, ROOT, walksOf, type Walk } from '../support/walks.js';

const MOST_FILES = 14;
const walks = walksOf();
/** Files that the others do not import, because they pass their bytes on as streams. */
const HANDED_ON: readonly string[] = ['src/gateway/unpacked-pieces.ts', 'src/gateway/guarded-relay.ts'];

/** The files that no earlier file of the walk imports. */
function unreached({ files }: Walk): string[] {
  return files.filter((file, at) => {
    if (at === 0 || HANDED_ON.includes(file)) return false;
    return !files.slice(0, at).some((before) => importsOf(before).has(file));
  });
}

describe('the two walks of docs/architecture.md', () => {
  it('lead from a prompt to its row and from a streamed byte to the client', () => {
    expect(walks.map(({ title }) => title)).toEqual([
      'From the prompt of `POST /v1/events` to its row',
      'From a streamed byte to the client',
    ]);
  });

  it.each(walks.map((walk) => [walk.title, walk] as const))('%s: has at most 14 files, none twice', (_, walk) => {
    const { files } = walk;
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThanOrEqual(MOST_FILES);
    expect(files.filter((file, at) => files.indexOf(file) !== at)).toEqual([]);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it.each(walks.map((walk) => [walk.title, walk] as const))(
    '%s: each file is imported by an earlier one, unless only bytes are handed on',
    (_, walk) => {
      expect(unreached(walk)).toEqual([]);
    },
  );

  it.each(walks.map((walk) => [walk.title, walk] as const))(
    '%s: the files named as used by the walk exist and are not part of it',
    (_, walk) => {
      const { asked, files } = walk;
      expect(asked.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
      expect(asked.filter((path) => files.includes(path))).toEqual([]);
    },
  );

  it('cannot contain a file that no earlier file imports', () => {
    const [walk] = walks as [Walk];
    const files = [...walk.files.slice(0, 3), 'src/exports/export-runner.ts', ...walk.files.slice(3)];
    expect(unreached({ ...walk, files })).toEqual(['src/exports/export-runner.ts']);
  });
});
