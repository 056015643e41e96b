import { fieldsOf, type DtoClass } from './json-schema.js';

/**
 * Converts a plain JSON value to an instance of a class, so that class-validator finds its rules. Only declared fields are copied: no key
 * from a client (`constructor`, `__proto__`) ever becomes a property of an instance.
 */
export function toDto(target: DtoClass, value: object): object {
  const instance = new target();
  for (const { name, nested } of fieldsOf(target)) {
    if (!Object.hasOwn(value, name)) continue;
    const given: unknown = Reflect.get(value, name);
    Reflect.set(instance, name, nested === undefined ? given : instances(nested, given));
  }
  return instance;
}

/** Values that are not objects stay unchanged: the rules of the field refuse them. */
function instances(target: DtoClass, given: unknown): unknown {
  if (Array.isArray(given)) return given.map((item: unknown) => (isPlain(item) ? toDto(target, item) : item));
  return isPlain(given) ? toDto(target, given) : given;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
