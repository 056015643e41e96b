/**
 * Fields whose value is either an object of one of our classes or a string, which OpenAPI declarations cannot express. A property
 * decorator can store its metadata only with the prototype.
 */
const NESTED = new WeakMap<object, Map<string, () => new () => object>>();

export function noteNestedOrText(prototype: object, name: string, type: () => new () => object): void {
  NESTED.set(prototype, (NESTED.get(prototype) ?? new Map<string, () => new () => object>()).set(name, type));
}

/** The class of the object, if the field accepts an object or a string. */
export function nestedOrText(prototype: object, name: string): (new () => object) | undefined {
  return NESTED.get(prototype)?.get(name)?.();
}
