import { updateExpectations, type PolicyTestResult, type UpdatedSuite } from '../../src/authoring/index.js';
import { usageError } from '../exit-code.js';
import type { Project } from '../input/project.js';
import type { Io } from '../io.js';
import type { Colours } from '../output/colour.js';
import { unifiedDiff } from '../output/unified-diff.js';
import { writeNamedFile } from '../named-files.js';

export interface WrittenUpdates {
  /** The changes to the files as a unified diff. */
  readonly diff: string;
  /** The test files after the update. */
  readonly tests: Project['tests'];
  readonly updated: { readonly file: string; readonly tests: string[] }[];
  readonly refused: UpdatedSuite['refused'];
}

/**
 * Refuses updates in CI: a pipeline that updates its own expectations would always pass.
 *
 * @throws CliError (exit 2) if `CI` is set
 */
export function refuseInCi({ env }: Pick<Io, 'env'>): void {
  const set = env['CI'] ?? '';
  if (set === '' || set === 'false' || set === '0') return;
  throw usageError(
    '--update is refused if CI is set, because a person has to review the result: run it locally and commit the change',
  );
}

/**
 * Writes the actual results of failed tests as expectations into their files. @throws CliError (exit 2) when a file cannot be written
 */
export async function writeUpdates(
  { tests }: Project,
  results: readonly PolicyTestResult[],
  io: Io,
  paint: Colours,
): Promise<WrittenUpdates> {
  const updated: { file: string; tests: string[] }[] = [];
  const refused: UpdatedSuite['refused'][number][] = [];
  const now = new Map(tests.map((file) => [file.path, file]));
  let diff = '';
  for (const file of tests) {
    const own = results.filter((result) => result.file === file.path);
    if (own.every(({ status }) => status !== 'failed')) continue;
    const after = updateExpectations(file, own);
    refused.push(...after.refused);
    if (after.text === file.text) continue;
    await writeNamedFile(file.path, after.text, io);
    diff += unifiedDiff(file.path, file.text, after.text, paint);
    now.set(file.path, { ...file, text: after.text });
    updated.push({ file: file.path, tests: [...after.updated] });
  }
  return { diff, tests: [...now.values()], updated, refused };
}
