/** The arguments of tools in a form that shows their content. Weir judges this form; the tool gets the values themselves. */

/**
 * A replacer of `JSON.stringify`. Of a `Map`, of bytes or of an error, JSON alone would contain nothing or only numbers, and the tool would
 * run with values that no rule has seen. Of the collections, only classes whose items have an end are read, and reading does not use up the
 * items that are for the tool.
 */
export function withContent(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  // The value before its `toJSON`, which a `Buffer` has.
  const own = this[name];
  if (own instanceof ArrayBuffer) return textOf(new Uint8Array(own));
  if (ArrayBuffer.isView(own)) return ofView(own);
  // An error that has a `toJSON` is no error here.
  if (isError(value)) return ofError(value);
  return isCollection(value) ? ofCollection(value) : value;
}

/** Bytes as text; wider numbers as a list. */
function ofView(view: ArrayBufferView): unknown {
  if (view instanceof DataView || view instanceof Uint8Array || view instanceof Uint8ClampedArray) {
    return textOf(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  }
  const numbers = view as unknown as ArrayLike<number | bigint>;
  return Array.from(numbers, (each) => (typeof each === 'bigint' ? String(each) : each));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Whether a value is an error, also one of another realm, as tests have. */
function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** The members of an error, such as `code`, with its name and message. */
function ofError(error: Error): unknown {
  try {
    return { ...error, message: String(error) };
  } catch {
    // Its own `toString` fails.
    return { ...error };
  }
}

function isCollection(value: unknown): value is Iterable<unknown> & object {
  return [Map, Set, URLSearchParams, Headers, FormData].some((known) => value instanceof known);
}

/** The items of a collection; beside them its own members, if it has any. */
function ofCollection(collection: Iterable<unknown> & object): unknown {
  const items = itemsOf(collection);
  const members: Readonly<Record<string, unknown>> = { ...collection } as Record<string, unknown>;
  if (Object.keys(members).length === 0) return items;
  return { ...members, items: 'items' in members ? [members['items'], items] : items };
}

/** As an object if the items are pairs with different names, as those of a `Map`. */
function itemsOf(collection: Iterable<unknown>): unknown {
  const items = [...collection];
  const pairs = items.filter(isPair);
  const isNamed = pairs.length === items.length && new Set(pairs.map(([name]) => name)).size === items.length;
  return isNamed ? Object.fromEntries(pairs) : items;
}

function isPair(item: unknown): item is [name: string, value: unknown] {
  return Array.isArray(item) && item.length === 2 && typeof item[0] === 'string';
}
