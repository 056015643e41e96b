import { formatProblems, type PolicyProblem } from '../core/index.js';

/**
 * The policies cannot be used as they are. The message holds the code frames of every environment; policy files are no
 * secret, and nothing else is quoted.
 */
export class PolicyLoadError extends Error {
  override readonly name = 'PolicyLoadError';

  constructor(
    readonly problems: readonly PolicyProblem[],
    sources: ReadonlyMap<string, string>,
  ) {
    super(`the policies cannot be loaded\n\n${formatProblems([...problems], sources)}`);
  }
}
