/**
 * State and classes that all copies of this package in a process share: an application may import it as ES modules, and one of its
 * libraries as CommonJS.
 */

/** The number changes with the form of the state, so that different versions of the package do not misread each other's. */
const STATES = Symbol.for('weir-sdk.1');

/** The state with this name, which the first copy creates. */
export function sharedState<State extends object>(name: string, create: () => State): State {
  const holder = globalThis as { [STATES]?: Map<string, object> };
  const states = holder[STATES] ?? new Map<string, object>();
  // In a runtime that forbids new globals, each copy has its own state.
  if (holder[STATES] === undefined) Reflect.defineProperty(globalThis, STATES, { value: states });
  const known = states.get(name) as State | undefined;
  if (known !== undefined) return known;
  const created = create();
  states.set(name, created);
  return created;
}

/** Makes `instanceof` recognise the objects of every copy of a class. */
export function branded(copy: abstract new (...given: never[]) => object, name: string): void {
  const brand = Symbol.for(`weir-sdk.1.${name}`);
  Object.defineProperty(copy.prototype, brand, { value: true });
  Object.defineProperty(copy, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      // A class that extends this one inherits the method.
      if (this !== copy) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === 'object' && value !== null && brand in value;
    },
  });
}
