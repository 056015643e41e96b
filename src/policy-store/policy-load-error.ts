import { formatProblems, type PolicyProblem } from '../core/index.js';

/**
 * The policies cannot be used. The message contains the code frames of every environment; policy files are not secret, and nothing else is
 * quoted.
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
