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

/** The names of the newest version of each built-in policy. */
export function packNames(): readonly string[] {
  return builtInPolicies().filter((name) => newestBuiltIn(name) === name);
}

/** The full name for a typed one: `weir:pci@1`, `pci@1`, or `pci` for the newest version. */
export function packNamed(typed: string): string {
  const name = typed.startsWith('weir:') ? typed : `weir:${typed}`;
  const found = name.includes('@') ? builtInPolicies().find((one) => one === name) : newestBuiltIn(name);
  if (found !== undefined) return found;
  const known = packNames().map(shortName);
  const hint = didYouMean(typed, known) ?? `there are ${known.join(', ')}`;
  throw usageError(`there is no pack ${JSON.stringify(typed)}: ${hint}`);
}

/** The packs with these names, each once. The baseline is omitted: every pack extends it, and it is not a pack itself. */
export function packsNamed(typed: readonly string[]): readonly Pack[] {
  const names = new Set(typed.map(packNamed));
  return PACKS.filter(({ name }) => names.has(name));
}

/** Title, bases and number of rules of a built-in policy, read from its text. */
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
