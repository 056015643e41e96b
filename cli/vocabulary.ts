import { ENVIRONMENTS, type Environment } from '../src/core/index.js';
import { textOption } from './command.js';
import { usageError } from './exit-code.js';

/*
 * Flags and arguments that many commands share, each with one meaning and one summary; notes for a single command follow a semicolon.
 * vocabulary.spec.ts checks every command for this.
 */

/** The argument that names an environment, in commands whose first argument it is. They also accept `environmentFlag`. */
export function environmentWord(note?: string) {
  return { environment: { type: 'string', describe: noted(ENVIRONMENTS.join(', '), note) } } as const;
}

/** The flag that names an environment. */
export function environmentFlag(note?: string) {
  return { env: textOption(noted('Environment', note)) } as const;
}

interface EnvironmentArgs {
  readonly environment?: string | undefined;
  readonly env?: string | undefined;
}

/** The environment from the argument or the flag. @throws CliError (exit 2) for an unknown environment, or two different ones */
export function environmentIn({ environment, env }: EnvironmentArgs): Environment | undefined {
  const word = environment === undefined ? undefined : environmentOf(environment);
  const flag = env === undefined ? undefined : environmentOf(env);
  if (word !== undefined && flag !== undefined && word !== flag)
    throw usageError(`two environments are named, ${word} and --env ${flag}: name one`);
  return word ?? flag;
}

/** Like `environmentIn`, for commands that require an environment. @throws CliError (exit 2) */
export function neededEnvironment(args: EnvironmentArgs): Environment {
  const found = environmentIn(args);
  if (found === undefined)
    throw usageError(`which environment? Name one as an argument or with --env: ${ENVIRONMENTS.join(', ')}`);
  return found;
}

/** @throws CliError (exit 2) */
export function environmentOf(name: string): Environment {
  const found = ENVIRONMENTS.find((known) => known === name);
  if (found === undefined) throw usageError(`there is no environment "${name}"; there are: ${ENVIRONMENTS.join(', ')}`);
  return found;
}

const MAX_LIMIT = 10_000;

/** The flag of commands that list entries; without the flag, all are listed. */
export const LIMIT_OPTION = {
  limit: { type: 'number', requiresArg: true, describe: 'Maximum number of entries; default: all' },
} as const;

/** The flag `--limit` with a default, for lists that the server returns in pages. */
export function limitOption(fallback: number) {
  return {
    limit: { type: 'number', requiresArg: true, default: fallback, describe: 'Maximum number of entries' },
  } as const;
}

/** The validated value of `--limit`. @param more a hint on how to get more than the maximum @throws CliError (exit 2) */
export function limitOf({ limit }: { readonly limit: number }, more?: string): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw usageError(`--limit takes a whole number from 1 to ${MAX_LIMIT}${more === undefined ? '' : `; ${more}`}`);
}

/** The first rows, up to `--limit`, and whether there are more. @throws CliError (exit 2) */
export function limited<Row>(
  rows: readonly Row[],
  { limit }: { readonly limit: number | undefined },
): { readonly rows: Row[]; readonly more: boolean } {
  const most = limit === undefined ? rows.length : limitOf({ limit });
  return { rows: rows.slice(0, most), more: rows.length > most };
}

/** The end of a list's closing line, after the count. */
export function andMore(more: boolean): string {
  return more ? ', and there are more' : '';
}

/** The flag for an output file. */
export function outputFlag(note: string) {
  return { output: { alias: 'o', ...textOption(noted('Output file', note)) } } as const;
}

function noted(words: string, note: string | undefined): string {
  return note === undefined ? words : `${words}; ${note}`;
}
