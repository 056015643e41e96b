import type { CompiledException, CompiledPolicy, Environment } from '../../src/core/index.js';
import { usageError } from '../exit-code.js';

export interface NamedException {
  readonly policy: CompiledPolicy;
  readonly exception: CompiledException;
}

/**
 * The policies that contain an exception with this id.
 *
 * @throws CliError (exit 2) if no policy contains it
 */
export function exceptionNamed(id: string, policies: ReadonlyMap<Environment, CompiledPolicy>): NamedException[] {
  const found = [...policies.values()].flatMap((policy) =>
    policy.exceptions.filter((one) => one.id === id).map((exception) => ({ policy, exception })),
  );
  if (found.length > 0) return found;
  const known = [...new Set([...policies.values()].flatMap(({ exceptions }) => exceptions.map((one) => one.id)))];
  throw usageError(`there is no exception "${id}"; there are: ${known.length === 0 ? 'none' : known.join(', ')}`);
}
