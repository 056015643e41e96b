import type { JsonValue } from '../../core/model/call.js';
import { optionPath } from './leaf-classes.js';
import { OPTION_CLASSES } from './option-classes.js';

export type OptionPath = readonly (string | number)[];

/** One option of a plugin. */
export interface OptionValue {
  /** The path of the leaf in `LEAF_CLASSES`. */
  readonly leaf: string;
  readonly path: OptionPath;
  readonly value: JsonValue;
}

/** The options of a plugin, leaf by leaf. Options that are not in the table are one leaf each. */
export function optionValues(plugin: string, options: JsonValue): OptionValue[] {
  const known = Object.keys(OPTION_CLASSES[plugin] ?? {});
  const found = known.flatMap((path) =>
    valuesAt(options, path.replaceAll('[]', '.[]').split('.')).map(({ path: at, value }) => ({
      leaf: optionPath(plugin, path),
      path: at,
      value,
    })),
  );
  const roots = new Set(known.map((path) => path.split('.')[0]));
  const others = isMap(options) ? Object.entries(options).filter(([key]) => !roots.has(key)) : [];
  return [...found, ...others.map(([key, value]) => ({ leaf: optionPath(plugin, key), path: [key], value }))];
}

function valuesAt(value: JsonValue | undefined, steps: readonly string[]): { path: OptionPath; value: JsonValue }[] {
  const [step, ...rest] = steps;
  if (value === undefined) return [];
  if (step === undefined) return [{ path: [], value }];
  const inner: readonly (readonly [string | number, JsonValue | undefined])[] =
    step === '[]'
      ? (Array.isArray(value) ? (value as JsonValue[]) : []).map((item, index) => [index, item] as const)
      : !isMap(value)
        ? []
        : step === '*'
          ? Object.entries(value)
          : [[step, value[step]] as const];
  return inner.flatMap(([key, item]) =>
    valuesAt(item, rest).map((found) => ({ ...found, path: [key, ...found.path] })),
  );
}

/** A copy of the options with another value at a path. */
export function withOption(options: JsonValue, path: OptionPath, value: JsonValue): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(options))
    return (options as JsonValue[]).map((item, index) => (index === step ? withOption(item, rest, value) : item));
  const map = options as Readonly<Record<string, JsonValue>>;
  return { ...map, [step]: withOption(map[String(step)] ?? null, rest, value) };
}

function isMap(value: JsonValue): value is Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
