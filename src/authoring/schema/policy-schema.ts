import { z } from 'zod';
import { codesOf } from '../../core/detection/detector.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import { factRegistry } from '../../core/facts/registry.js';
import type { BudgetDefinition, DetectorBinding } from '../../core/model/compiled-policy.js';
import { BUDGET, DETECTOR_FIELDS, DOCUMENT, EXCEPTION, OVERRIDE, RULE } from '../../core/policy/policy-format.js';
import type { JsonSchema } from '../../core/policy/source/shape.js';
import { suiteHead, testCase, testTable } from '../policy-test/suite-schema.js';
import { PROJECT } from '../project/project-config.js';
import { conditionDefinitions } from './condition-schema.js';
import { DESCRIPTIONS } from './descriptions.js';

/** Names defined in the files of a project, for completion in addition to the names in every policy. */
export interface ProjectNames {
  /** The plugin id of each detector, by key. */
  readonly detectors: ReadonlyMap<string, string>;
  readonly budgets: readonly string[];
  readonly lists: readonly string[];
  readonly conditions: readonly string[];
}

const DRAFT = 'http://json-schema.org/draft-07/schema#';

/** The JSON Schemas of the three formats, by file name. `weir lint` checks the requirements that JSON Schema cannot express. */
export function policySchemas(plugins: PluginCatalog, names: ProjectNames): Readonly<Record<string, JsonSchema>> {
  return {
    'policy.v1.json': policySchema(plugins, names),
    'policy-test.v1.json': testSchema(),
    'project.v1.json': { $schema: DRAFT, title: 'Weir project', ...described(PROJECT.schema, 'project') },
  };
}

function policySchema(plugins: PluginCatalog, names: ProjectNames): JsonSchema {
  const ref = (name: string): JsonSchema => ({ $ref: `#/definitions/${name}` });
  const facts = factRegistry(bindings(plugins, names), plugins, names.budgets.map(budget));
  const root = withProperties(described(DOCUMENT.schema, 'policy'), {
    metadata: described(propertyOf(DOCUMENT.schema, 'metadata'), 'metadata'),
    retention: retentionSchema(),
    detectors: { additionalProperties: ref('detector') },
    conditions: { additionalProperties: ref('condition') },
    rules: { items: ref('rule') },
    overrides: { items: described(OVERRIDE.schema, 'override') },
    exceptions: { items: withProperties(described(EXCEPTION.schema, 'exception'), { when: ref('condition') }) },
    budgets: { items: described(BUDGET.schema, 'budget') },
  });
  const then = described(propertyOf(RULE.schema, 'then'), 'then');
  const redact = described(propertyOf(then, 'redact'), 'redact');
  const rule = withProperties(described(RULE.schema, 'rule'), {
    when: ref('condition'),
    then: withProperties(then, { redact }),
  });
  return {
    $schema: DRAFT,
    title: 'Weir policy',
    ...root,
    definitions: { rule, detector: detectorSchema(plugins), ...conditionDefinitions(facts, names) },
  };
}

function retentionSchema(): JsonSchema {
  const whole = described(propertyOf(DOCUMENT.schema, 'retention'), 'retention');
  const { items } = propertyOf(whole, 'holds') as { readonly items: JsonSchema };
  return withProperties(whole, { holds: { items: described(items, 'hold') } });
}

/** Returns a binding for every plugin under its own name, and for each of the project's detectors. */
function bindings(plugins: PluginCatalog, names: ProjectNames): DetectorBinding[] {
  const keys = new Map(plugins.detectors.map(({ meta }) => [meta.id.replaceAll('-', '_'), meta.id]));
  for (const [key, id] of names.detectors) keys.set(key, id);
  return [...keys].flatMap(([key, id]) => {
    const plugin = plugins.detectors.find(({ meta }) => meta.id === id);
    if (plugin === undefined) return [];
    const options = plugin.meta.options.safeParse({});
    // A detector whose codes are defined by its options has no codes to list here.
    const codes = options.success ? Object.keys(codesOf(plugin.meta, options.data)) : [];
    const { version, revision } = plugin.meta;
    return [{ key, plugin: id, version, revision, options: {}, codes, minScore: {}, timeoutMs: 0 }];
  });
}

function budget(id: string): BudgetDefinition {
  const window = { per: 'day', timezone: 'UTC' } as const;
  return { id, scope: [], window, limit: { unit: 'tokens', tokens: 1 }, warnAt: [], onExceed: 'record' };
}

/** Weir's own keys for all detectors, and further keys that depend on the named plugin. */
function detectorSchema({ detectors, structures, ledgers }: PluginCatalog): JsonSchema {
  const host = Object.fromEntries(
    Object.entries(DETECTOR_FIELDS).map(([key, { shape }]) => [
      key,
      { ...shape.schema, description: DESCRIPTIONS['detector']![key] },
    ]),
  );
  const all = [...detectors, ...structures, ...ledgers].map(({ meta }) => meta);
  const named = all.map(({ id, version }) => `${id}@^${version.split('.')[0]}`);
  const branches = all.map(({ id, options }) => ({
    if: { properties: { plugin: { pattern: `^${id}(?:@|$)` } }, required: ['plugin'] },
    then: { properties: { ...host, ...optionsOf(options) }, additionalProperties: false },
  }));
  return {
    type: 'object',
    properties: { plugin: { ...host['plugin'], examples: named, anyOf: [{ enum: named }, { type: 'string' }] } },
    allOf: branches,
  };
}

function optionsOf(schema: z.ZodType): Record<string, JsonSchema> {
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-7', reused: 'inline' });
  const properties = made.properties ?? {};
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => typeof value === 'object')) as Record<
    string,
    JsonSchema
  >;
}

function testSchema(): JsonSchema {
  const definitions: Record<string, unknown> = {};
  const of = (name: string, schema: z.ZodType, change = (made: unknown): unknown => made): JsonSchema => {
    const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-7', reused: 'inline' });
    const { definitions: own = {}, ...rest } = named(name, change(made)) as JsonSchema;
    Object.assign(definitions, own);
    return rest;
  };
  const head = of('head', suiteHead);
  const test = of('test', testCase, withColumns);
  const expected = propertyOf(test, 'expect');
  const item = {
    ...withProperties(test, { table: of('table', testTable) }),
    patternProperties: { '^expect@(?:development|staging|production)$': expected },
  };
  const tests = { type: 'array', items: item, minItems: 1, description: 'The tests, each with its expectation.' };
  const { $schema: _draft, ...rest } = withProperties(head, { tests });
  return { $schema: DRAFT, title: 'Weir policy tests', ...rest, definitions };
}

/** The generated schema of a part, with its definitions renamed to be unique, because all parts share one `definitions`. */
function named(name: string, made: unknown): unknown {
  if (Array.isArray(made)) return made.map((each) => named(name, each));
  if (typeof made !== 'object' || made === null) return made;
  return Object.fromEntries(
    Object.entries(made).map(([key, value]) => [
      key.replace(/^__schema/, name),
      key === '$ref' ? String(value).replace('/__schema', `/${name}`) : named(name, value),
    ]),
  );
}

/** Extends the schema of a test for tables: any value may be a reference to a column, and the expected action may be in a column. */
function withColumns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withColumns);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $schema: _draft, ...own } = schema as Record<string, unknown>;
  const inner = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, withColumns(value)]));
  const isClosed = 'enum' in own || ['boolean', 'number', 'integer', 'array'].includes(String(own['type']));
  if (isClosed) return { anyOf: [inner, { type: 'string', pattern: '^\\$[A-Za-z_]' }] };
  if (own['type'] !== 'object' || !('properties' in own) || !Array.isArray(inner['required'])) return inner;
  return { ...inner, required: (inner['required'] as string[]).filter((key) => key !== 'action') };
}

function propertyOf(schema: JsonSchema, key: string): JsonSchema {
  return (schema['properties'] as Record<string, JsonSchema>)[key]!;
}

/** The schema of a map with descriptions of its keys. */
function described(schema: JsonSchema, part: string): JsonSchema {
  const words = DESCRIPTIONS[part]!;
  return withProperties(
    schema,
    Object.fromEntries(Object.entries(words).map(([key, description]) => [key, { description }])),
  );
}

/** Extends the schemas of some keys of a map. A reference replaces the previous schema of its key, except the description. */
function withProperties(schema: JsonSchema, more: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const properties = { ...(schema['properties'] as Record<string, JsonSchema>) };
  for (const [key, extra] of Object.entries(more)) {
    const before = properties[key] ?? {};
    const { description } = before;
    const said = description === undefined ? {} : { description };
    properties[key] = '$ref' in extra ? { allOf: [extra], ...said } : { ...before, ...extra, ...said };
  }
  return { ...schema, properties };
}
