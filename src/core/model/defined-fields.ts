type DefinedFields<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Omits undefined values, so that absent fields stay absent. */
export function definedFields<T extends object>(fields: T): DefinedFields<T> {
  const kept: { [Key in keyof T]?: T[Key] } = {};
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept as DefinedFields<T>;
}
