import { kindOf, type MapNode, type Node, type Span } from './node.js';
import type { Problems } from './problems.js';

export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The required form of a part of a file. `read` returns the typed value, or reports the problem with its position and returns
 * undefined. Shapes are values: the tables in `policy-format.ts` consist of them and are the only definition of the keys.
 */
export interface Shape<T> {
  /** Completes the message "expected …". */
  readonly expects: string;
  /** The same form as JSON Schema (draft 07), as far as it can be expressed there. */
  readonly schema: JsonSchema;
  read(node: Node, problems: Problems): T | undefined;
}

export interface Field<T, Required extends boolean = boolean> {
  readonly shape: Shape<T>;
  readonly required: Required;
  /** Example of the missing part, as a line of YAML, for the hint of a problem. */
  readonly example?: string;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K]['required'] extends true ? K : never }[keyof F];
/** The typed value of a map with these fields. */
export type Read<F extends Fields> = {
  readonly [K in RequiredKeys<F>]: F[K] extends Field<infer T> ? T : never;
} & { readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: F[K] extends Field<infer T> ? T : never };

export const required = <T>(shape: Shape<T>, example?: string): Field<T, true> => ({
  shape,
  required: true,
  ...(example !== undefined && { example }),
});
export const optional = <T>(shape: Shape<T>): Field<T, false> => ({ shape, required: false });

function wrong(node: Node, expects: string, problems: Problems): undefined {
  problems.add('G007', node.span, `expected ${expects}, found ${kindOf(node)}`);
  return undefined;
}

/** A string; `pattern` limits its form, and `expects` describes it. */
export function text(expects = 'a text', pattern?: RegExp, maxLength = 1_000): Shape<string> {
  return {
    expects,
    schema: { type: 'string', minLength: 1, maxLength, ...(pattern && { pattern: pattern.source }) },
    read(node, problems) {
      if (node.kind !== 'scalar' || typeof node.value !== 'string') return wrong(node, expects, problems);
      if (node.value.length > 0 && node.value.length <= maxLength && (pattern?.test(node.value) ?? true))
        return node.value;
      problems.add(
        'G007',
        node.span,
        `expected ${expects}`,
        node.value.length > maxLength ? 'the text is too long' : undefined,
      );
      return undefined;
    },
  };
}

/** One of a few words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Shape<Word> {
  const expects = words.length === 1 ? `"${words[0]!}"` : `one of ${words.join(', ')}`;
  return {
    expects,
    schema: { type: 'string', enum: words },
    read(node, problems) {
      if (node.kind !== 'scalar' || typeof node.value !== 'string') return wrong(node, expects, problems);
      const found = words.find((word) => word === node.value);
      if (found === undefined)
        problems.add(
          'G007',
          node.span,
          `expected ${expects}`,
          words.length === 1 ? undefined : problems.suggest(node.value, words),
        );
      return found;
    },
  };
}

/** A finite number in a closed range. */
export function number(min: number, max: number): Shape<number> {
  const expects = `a number from ${min} to ${max}`;
  return {
    expects,
    schema: { type: 'number', minimum: min, maximum: max },
    read(node, problems) {
      if (node.kind !== 'scalar' || typeof node.value !== 'number') return wrong(node, expects, problems);
      if (node.value >= min && node.value <= max) return node.value;
      problems.add('G007', node.span, `expected ${expects}`);
      return undefined;
    },
  };
}

/** A whole number in a closed range. */
export function integer(min: number, max: number): Shape<number> {
  const expects = `a whole number from ${min} to ${max}`;
  const any = number(min, max);
  return {
    expects,
    schema: { ...any.schema, type: 'integer' },
    read(node, problems) {
      const value = any.read(node, problems);
      if (value === undefined || Number.isInteger(value)) return value;
      problems.add('G007', node.span, `expected ${expects}`);
      return undefined;
    },
  };
}

/** `true` or `false`. */
export const flag: Shape<boolean> = {
  expects: 'true or false',
  schema: { type: 'boolean' },
  read(node, problems) {
    if (node.kind !== 'scalar' || typeof node.value !== 'boolean') return wrong(node, 'true or false', problems);
    return node.value;
  },
};

/** A list; invalid entries are reported and omitted, so that the others are still checked. */
export function list<T>(item: Shape<T>, limits: { min?: number; max?: number } = {}): Shape<readonly T[]> {
  const { min = 0, max = 2_000 } = limits;
  const expects = `a list, each entry ${item.expects}`;
  return {
    expects,
    schema: { type: 'array', items: item.schema, minItems: min, maxItems: max },
    read(node, problems) {
      if (node.kind !== 'seq') return wrong(node, expects, problems);
      if (node.items.length < min || node.items.length > max) {
        problems.add('G007', node.span, `expected a list of ${min} to ${max} entries`);
      }
      return node.items.slice(0, max).flatMap((entry) => item.read(entry, problems) ?? []);
    },
  };
}

/** The form of the keys of a map. */
interface KeyForm {
  readonly expects: string;
  readonly pattern: RegExp;
  /** In UTF-16 units; default 100. */
  readonly maxLength?: number;
}

/** A map with keys chosen by the author, at most `max`. */
export function record<T>(name: KeyForm, value: Shape<T>, max = 5_000): Shape<ReadonlyMap<string, T>> {
  const expects = `a map from ${name.expects} to ${value.expects}`;
  const { pattern, maxLength = 100 } = name;
  return {
    expects,
    schema: {
      type: 'object',
      propertyNames: { pattern: pattern.source, maxLength },
      additionalProperties: value.schema,
      maxProperties: max,
    },
    read(node, problems) {
      if (node.kind !== 'map') return wrong(node, expects, problems);
      const result = new Map<string, T>();
      if (node.entries.length > max) {
        problems.add('G010', node.span, `expected at most ${max} entries`);
        return result;
      }
      for (const { key, keySpan, value: entry } of node.entries) {
        if (key.length > maxLength) problems.add('G007', keySpan, `expected ${name.expects}`, 'the key is too long');
        else if (!pattern.test(key)) problems.add('G007', keySpan, `expected ${name.expects}`);
        const read = value.read(entry, problems);
        if (read !== undefined) result.set(key, read);
      }
      return result;
    },
  };
}

/** A map with known keys; any other key is an error with a suggestion. */
export function object<F extends Fields>(expects: string, fields: F): Shape<Read<F>> & { readonly fields: F } {
  return {
    expects,
    fields,
    schema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(fields).map(([key, { shape }]) => [key, shape.schema])),
      required: Object.keys(fields).filter((key) => fields[key]!.required),
      additionalProperties: false,
    },
    read(node, problems) {
      if (node.kind !== 'map') {
        const keys = Object.keys(fields);
        const some = `${keys.slice(0, 4).join(', ')}${keys.length > 4 ? ', …' : ''}`;
        problems.add('G007', node.span, `expected ${expects}, found ${kindOf(node)}`, `write a map with ${some}`);
        return undefined;
      }
      checkKeys(node, Object.keys(fields), expects, problems);
      return readFields(node, fields, expects, problems) as Read<F> | undefined;
    },
  };
}

function readFields(node: MapNode, fields: Fields, expects: string, problems: Problems): object | undefined {
  const result: Record<string, unknown> = {};
  let complete = true;
  for (const [key, { shape, required: isRequired, example }] of Object.entries(fields)) {
    const entry = node.entries.find((candidate) => candidate.key === key);
    if (entry === undefined) {
      if (isRequired) {
        const hint = example === undefined ? undefined : `such as ${example}`;
        problems.add('G006', node.span, `${expects} needs "${key}"`, hint);
      }
      complete &&= !isRequired;
      continue;
    }
    const value = shape.read(entry.value, problems);
    if (value !== undefined) result[key] = value;
    else complete &&= !isRequired;
  }
  return complete ? result : undefined;
}

/** Reports unknown keys. */
export function checkKeys(node: MapNode, known: readonly string[], where: string, problems: Problems): void {
  for (const { key, keySpan } of node.entries) {
    if (!known.includes(key)) reportUnknownKey(key, keySpan, known, where, problems);
  }
}

export function reportUnknownKey(
  key: string,
  span: Span,
  known: readonly string[],
  where: string,
  problems: Problems,
): void {
  const hint = problems.suggest(key, known) ?? `known: ${known.join(', ')}`;
  problems.add('G003', span, `unknown key "${key}" in ${where}`, hint);
}

/** Any value, kept as a node: its meaning is checked elsewhere. */
export function anything(expects: string): Shape<Node> {
  return { expects, schema: {}, read: (node) => node };
}

/** A shape whose value is further checked or converted by `then`, which reports its own problems. */
export function refine<T, U>(
  shape: Shape<T>,
  then: (value: T, node: Node, problems: Problems) => U | undefined,
): Shape<U> {
  return {
    expects: shape.expects,
    schema: shape.schema,
    read(node, problems) {
      const value = shape.read(node, problems);
      return value === undefined ? undefined : then(value, node, problems);
    },
  };
}
