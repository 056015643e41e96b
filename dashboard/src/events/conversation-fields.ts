/** Members of a stored payload, whose form clients choose. */

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first of these members that is present, with its name. Gemini accepts each name in two spellings. */
export function memberOf(
  fields: Fields,
  names: readonly string[],
): { readonly name: string; readonly value: unknown } | undefined {
  const name = names.find((each) => fields[each] !== undefined && fields[each] !== null);
  return name === undefined ? undefined : { name, value: fields[name] };
}
