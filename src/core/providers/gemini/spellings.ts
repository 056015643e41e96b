import type { FieldReader } from '../../call/call-collector.js';

/**
 * Google's servers accept a field by its name in JSON and by its name in Protocol Buffers: `systemInstruction`, `system_instruction`
 * (https://protobuf.dev/programming-guides/json/#field-representation).
 *
 * @param name the name in JSON
 */
export function spellings(name: string): readonly string[] {
  const underscored = name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
  return underscored === name ? [name] : [name, underscored];
}

/** The `spellings` of fixed names, computed once. */
export function spellingsOfAll<Name extends string>(names: readonly Name[]): Readonly<Record<Name, readonly string[]>> {
  return Object.fromEntries(names.map((name) => [name, spellings(name)])) as Record<Name, readonly string[]>;
}

/** Assigns a reader to each spelling of a name. */
export function spelled(name: string, reader: FieldReader): [string, FieldReader][] {
  return spellings(name).map((each) => [each, reader]);
}

/** Every spelling of a path of members. */
export function spelledPaths(...path: readonly string[]): string[][] {
  return path.reduce<string[][]>(
    (paths, name) => paths.flatMap((before) => spellings(name).map((each) => [...before, each])),
    [[]],
  );
}
