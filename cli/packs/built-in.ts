import { parse } from 'yaml';
import { builtInPolicies, builtInPolicy, didYouMean, newestBuiltIn, required } from '../../src/core/index.js';
import { usageError } from '../exit-code.js';
import { PACKS, shortName, type Pack } from './index.js';

/** A built-in policy, with its description for lists. */
interface BuiltInText {
  readonly text: string;
  readonly title: string;
  readonly bases: readonly string[];
  readonly rules: number;
}

/** The newest version of each. */
export function packNames(): readonly string[] {
  return builtInPolicies().filter((name) => newestBuiltIn(name) === name);
}

/** The name in full of what a person typed: `weir:pci@1`, `pci@1`, or `pci`, which is the newest. */
export function packNamed(typed: string): string {
  const name = typed.startsWith('weir:') ? typed : `weir:${typed}`;
  const found = name.includes('@') ? builtInPolicies().find((one) => one === name) : newestBuiltIn(name);
  if (found !== undefined) return found;
  const known = packNames().map(shortName);
  const hint = didYouMean(typed, known) ?? `there are ${known.join(', ')}`;
  throw usageError(`there is no pack ${JSON.stringify(typed)}: ${hint}`);
}

/** The packs of these names, each once. The baseline is below all of them, and none. */
export function packsNamed(typed: readonly string[]): readonly Pack[] {
  const names = new Set(typed.map(packNamed));
  return PACKS.filter(({ name }) => names.has(name));
}

/** What a built-in policy is, read from its text. */
export function builtInText(name: string): BuiltInText {
  const text = required(builtInPolicy(name), name).text;
  const {
    metadata,
    extends: bases,
    rules,
  } = parse(text) as {
    readonly metadata: { readonly title: string };
    readonly extends?: readonly string[];
    readonly rules: readonly unknown[];
  };
  return { text, title: metadata.title, bases: bases ?? [], rules: rules.length };
}
