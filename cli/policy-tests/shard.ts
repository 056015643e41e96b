import type { TestIdentity } from '../../src/authoring/index.js';
import { usageError } from '../exit-code.js';

/** One of several parts of the tests, for parallel runs: part `part` of `of`. */
export interface Shard {
  /** The number of the part, from 1. */
  readonly part: number;
  readonly of: number;
}

const MAX_SHARDS = 1_000;

/** Parses a shard such as `2/4`. @throws CliError (exit 2) */
export function shardOf(text: string): Shard {
  const [, part, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  const shard = { part: Number(part), of: Number(of) };
  if (shard.part >= 1 && shard.part <= shard.of && shard.of <= MAX_SHARDS) return shard;
  throw usageError('--shard takes the number of a part and the total, such as 1/4');
}

/**
 * Distributes tests round-robin: parts have nearly the same size, each test is in one of them, and the same files result in the same
 * parts on every machine. Call `only` once for each test, in order.
 */
export function shardFilter(
  shard: Shard | undefined,
  matches: (test: TestIdentity) => boolean,
): { readonly only: (test: TestIdentity) => boolean; readonly matching: () => number } {
  let seen = 0;
  return {
    only: (test) => {
      if (!matches(test)) return false;
      seen += 1;
      return shard === undefined || (seen - 1) % shard.of === shard.part - 1;
    },
    matching: () => seen,
  };
}
