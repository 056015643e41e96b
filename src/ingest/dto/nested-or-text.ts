/**
 * Fields that hold an object of a class of ours, or a string in its place: declarations of OpenAPI cannot tell them from
 * others. Metadata of a property decorator, which has no other place for it than beside the prototype.
 */
const NESTED = new WeakMap<object, Map<string, () => new () => object>>();

export function noteNestedOrText(prototype: object, name: string, type: () => new () => object): void {
  NESTED.set(prototype, (NESTED.get(prototype) ?? new Map<string, () => new () => object>()).set(name, type));
}

/** The class of the object, where the field is one of them. */
export function nestedOrText(prototype: object, name: string): (new () => object) | undefined {
  return NESTED.get(prototype)?.get(name)?.();
}
