/** The parts of a JSON Schema that are needed to find its leaves. */
export interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly if?: { readonly properties: { readonly plugin: { readonly pattern: string } } };
  readonly then?: Schema;
}

/** Maps and lists that are compared as a whole: their contents are not separate leaves. */
const WHOLE =
  /^(?:lists\.\*|detectors\.\*\.(?:codes|min_score)|overrides\[\]\.set|detectors\.\*\(remote\)\.entities|detectors\.\*\(json-schema\)\.(?:tools|output))$/;
/** A condition is one leaf, as in the table of leaves. */
const CONDITION = /^(?:conditions\.\*|rules\[\]\.when|exceptions\[\]\.when)$/;

/** Every leaf of the policy schema: `[]` stands for the items of a list, `*` for any key, `(id)` for a plugin. */
export function leavesOfSchema(schema: Schema): string[] {
  return [...new Set(below(schema, '', schema.definitions ?? {}))];
}

function below(schema: Schema, path: string, definitions: Readonly<Record<string, Schema>>): string[] {
  if (WHOLE.test(path) || CONDITION.test(path)) return [path];
  const merged = resolved(schema, definitions);
  const join = (key: string): string => (path === '' ? key : `${path}.${key}`);
  const branches = merged.allOf?.filter(({ if: when }) => when !== undefined) ?? [];
  if (branches.length > 0) return detectorLeaves(branches, path, definitions);
  if (merged.properties !== undefined && Object.keys(merged.properties).length > 0)
    return Object.entries(merged.properties).flatMap(([key, inner]) => below(inner, join(key), definitions));
  if (typeof merged.additionalProperties === 'object' && Object.keys(merged.additionalProperties).length > 0)
    return below(merged.additionalProperties, join('*'), definitions);
  if (merged.items !== undefined) {
    const items = resolved(merged.items, definitions);
    return items.properties === undefined ? [path] : below(items, `${path}[]`, definitions);
  }
  return [path];
}

/** Keys that all plugins share appear once; options of a plugin appear under its name. */
function detectorLeaves(
  branches: readonly Schema[],
  path: string,
  definitions: Readonly<Record<string, Schema>>,
): string[] {
  const named = branches.map(({ if: when, then }) => ({
    plugin: /^\^([a-z-]+)/.exec(when!.properties.plugin.pattern)![1]!,
    properties: then?.properties ?? {},
  }));
  const shared = Object.keys(named[0]!.properties).filter((key) =>
    named.every(({ properties }) => Object.hasOwn(properties, key)),
  );
  return named.flatMap(({ plugin, properties }) =>
    Object.entries(properties).flatMap(([key, inner]) =>
      below(inner, shared.includes(key) ? `${path}.${key}` : `${path}(${plugin}).${key}`, definitions),
    ),
  );
}

function resolved(schema: Schema, definitions: Readonly<Record<string, Schema>>): Schema {
  const references = [schema.$ref, ...(schema.allOf ?? []).map(({ $ref }) => $ref)].filter((one) => one !== undefined);
  const [first] = references;
  return first === undefined ? schema : definitions[first.slice('#/definitions/'.length)]!;
}
