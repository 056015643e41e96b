import type { MutantResult, MutationInput } from '../../src/core/index.js';
import type { CompiledProject } from '../input/compiled-project.js';
import type { Io } from '../io.js';

export async function writeMissingTests(
  _results: readonly MutantResult[],
  _project: CompiledProject,
  _input: MutationInput,
  _io: Io,
): Promise<Map<string, string>> {
  return Promise.resolve(new Map());
}
