import { z } from 'zod';
import {
  parseJson,
  toolNameForm,
  Unknown,
  type DecodedCall,
  type FactDefinition,
  type FactSet,
  type JsonValue,
  type StructureContext,
  type StructurePlugin,
  type ToolCall,
} from '../../src/core/plugin-api.js';
import { checkValue, type SchemaErrors } from './check-value.js';
import { isObject, KEYWORDS, type JsonObject } from './keywords.js';
import { prepareSchema, SchemaUnusable, type PreparedSchema } from './prepare-schema.js';

const ID = 'json-schema';
const MAX_TOOLS = 200;
/** The maximum time to compile the patterns of all tools, in microseconds. */
const MAX_COST_OF_TOOLS = 200_000;

/** A schema in the policy; its form is checked when the policy is compiled. */
const policySchema = z.custom<JsonObject>();

/** Checks the form of a schema in the policy. @returns the cost of its patterns; undefined after a problem */
function check(schema: JsonObject, path: PropertyKey[], context: z.RefinementCtx): number | undefined {
  try {
    return prepareSchema(schema).cost;
  } catch (error) {
    if (!(error instanceof SchemaUnusable)) throw error;
    context.addIssue({ code: 'custom', path, message: error.message });
    return undefined;
  }
}

function checkTools(tools: Readonly<Record<string, JsonObject>>, context: z.RefinementCtx): void {
  const report = (message: string): void => context.addIssue({ code: 'custom', message });
  const all = Object.entries(tools);
  if (all.length > MAX_TOOLS) return report(`at most ${MAX_TOOLS} tools`);
  let cost = 0;
  for (const [name, schema] of all) {
    cost += check(schema, [name], context) ?? 0;
    if (cost > MAX_COST_OF_TOOLS) return report('the patterns of all tools together take too long to compile');
  }
}

const options = z.strictObject({
  /** The policy's schemas for arguments, by tool name. They apply in addition to those declared by a request. */
  tools: z.record(z.string().min(1).max(200), policySchema).superRefine(checkTools).default({}),
  /** The schema for the text of every answer. */
  output: policySchema.superRefine((schema, context) => void check(schema, [], context)).optional(),
  /** Whether undeclared arguments are invalid if the declared schema has no rule for them. */
  unknown_arguments: z.enum(['allow', 'refuse']).default('allow'),
});
export type JsonSchemaOptions = z.output<typeof options>;

function fact(
  name: string,
  type: FactDefinition['type'],
  stage: 'tool' | 'post',
  summary: string,
  extra: Partial<FactDefinition> = {},
): FactDefinition {
  return { name, type, stages: [stage], summary, optional: true, clientControlled: false, ...extra };
}

const COUNT = { unit: 'items', range: { min: 0, max: 200 } } as const;
/** `json`: the value is not JSON. `false`: the schema allows no value. */
const WRONG = ['json', 'false', ...Object.keys(KEYWORDS)].sort();

const facts: readonly FactDefinition[] = [
  fact(
    'tool_schema.declared',
    'boolean',
    'tool',
    'Whether the request declares a schema for the tool; absent when the request is not known.',
    { clientControlled: true },
  ),
  fact(
    'tool_schema.valid',
    'boolean',
    'tool',
    'Whether the arguments match every known schema of the tool; absent when no schema is known.',
    {
      invariants: ['tool_schema.valid is true exactly when tool_schema.errors is 0'],
    },
  ),
  fact(
    'tool_schema.errors',
    'integer',
    'tool',
    'Number of schema violations in the arguments; absent when no schema is known.',
    COUNT,
  ),
  fact('tool_schema.wrong', 'string_set', 'tool', 'The schema keywords that the arguments violate, such as required.', {
    values: WRONG,
  }),
  fact(
    'output_schema.valid',
    'boolean',
    'post',
    'Whether the answer’s text is JSON that matches its schema; absent when no schema is known.',
    {
      invariants: ['output_schema.valid is true exactly when output_schema.errors is 0'],
    },
  ),
  fact(
    'output_schema.errors',
    'integer',
    'post',
    'Number of schema violations in the answer’s text; absent when no schema is known.',
    COUNT,
  ),
  fact('output_schema.wrong', 'string_set', 'post', 'The schema keywords that the answer’s text violates.', {
    values: WRONG,
  }),
];

/**
 * Checks new tool calls and structured answers against the JSON Schemas of the request and of the policy. With an unusable schema the
 * facts are unknown, never true.
 */
export const jsonSchema: StructurePlugin<JsonSchemaOptions> = {
  kind: 'structure',
  meta: {
    id: ID,
    version: '1.0.0',
    revision: 1,
    summary: 'Reads whether tool arguments and answers match their JSON Schemas.',
    options,
  },
  facts,
  read: (call, context, settings) => ({
    tool_schema: known(() => toolFacts(context, settings)),
    output_schema: known(() => outputFacts(call, context, settings)),
  }),
};

/** Rules only see "unknown" for an unusable schema: the reason could contain text of its author, who may be an attacker. */
function known(read: () => FactSet): FactSet | Unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof SchemaUnusable) return new Unknown('unavailable', ID);
    throw error;
  }
}

/** Finds the schema for a tool call; tool names are compared in their normal form. */
function schemaOf<T>(
  toolCall: ToolCall | undefined,
  tools: readonly { readonly name: string; readonly schema?: T }[] | undefined,
): T | undefined {
  if (toolCall === undefined) return undefined;
  const form = toolNameForm(toolCall.name);
  return tools?.find(({ name }) => toolNameForm(name) === form)?.schema;
}

function toolFacts({ toolCall, request }: StructureContext, { tools, unknown_arguments }: JsonSchemaOptions): FactSet {
  const declaredSchema = schemaOf(toolCall, request?.declaredTools);
  const declared = request === undefined ? null : declaredSchema !== undefined;
  const ownTools = Object.entries(tools).map(([name, schema]) => ({ name, schema }));
  const own = schemaOf(toolCall, ownTools);
  const schemas = [
    ...(declaredSchema === undefined ? [] : [unknown_arguments === 'refuse' ? closed(declaredSchema) : declaredSchema]),
    ...(own === undefined ? [] : [own]),
  ];
  if (toolCall === undefined || schemas.length === 0) return { declared, ...ABSENT };
  return { declared, ...verdict(schemas, [toolCall.args]) };
}

function outputFacts(
  call: DecodedCall,
  { toolCall, request }: StructureContext,
  { output }: JsonSchemaOptions,
): FactSet {
  const isAnswer = toolCall === undefined && (request !== undefined || call.dialect === 'weir.ai_response');
  const schemas = [request?.outputSchema, output].filter((schema) => schema !== undefined);
  const texts = isAnswer && schemas.length > 0 ? answerTexts(call) : [];
  return texts.length === 0 ? ABSENT : verdict(schemas, texts.map(parsed));
}

const ABSENT = { valid: null, errors: null, wrong: null } as const;

/** @param values each must match all of the schemas; undefined for text that is not JSON */
function verdict(schemas: readonly JsonValue[], values: readonly (JsonValue | undefined)[]): FactSet {
  const errors = values.flatMap((value): SchemaErrors[] =>
    value === undefined
      ? [{ count: 1, keywords: ['json'] }]
      : schemas.map((schema) => checkValue(prepared(schema), value)),
  );
  const count = errors.reduce((sum, error) => sum + error.count, 0);
  const wrong = [...new Set(errors.flatMap(({ keywords }) => keywords))].sort();
  return { valid: count === 0, errors: Math.min(count, COUNT.range.max), wrong };
}

/**
 * Preparing costs more than checking, and the same schema of a policy or request is used repeatedly. Cached by the schema's identity,
 * since a plugin has no other state shared between its calls.
 */
const preparedSchemas = new WeakMap<object, PreparedSchema>();

function prepared(schema: JsonValue): PreparedSchema {
  if (typeof schema !== 'object' || schema === null) return prepareSchema(schema);
  let ready = preparedSchemas.get(schema);
  if (ready === undefined) preparedSchemas.set(schema, (ready = prepareSchema(schema)));
  return ready;
}

/** The schema with `additionalProperties: false`, unless it contains a rule for other arguments itself. */
function closed(schema: JsonValue): JsonValue {
  const says = [
    'additionalProperties',
    'patternProperties',
    '$ref',
    'allOf',
    'anyOf',
    'oneOf',
    'if',
    'dependentSchemas',
  ];
  if (!isObject(schema) || says.some((keyword) => Object.hasOwn(schema, keyword))) return schema;
  return { ...schema, additionalProperties: false };
}

/** The answer texts of all choices, without reasoning, refusals and tool calls. */
function answerTexts({ segments }: DecodedCall): string[] {
  return segments
    .filter(({ role, path, key }) => role === 'assistant' && key !== undefined && ANSWER_PATH.test(path))
    .map(({ text }) => text);
}

const ANSWER_PATH = /(?:^|\.)(?:content|text|output|output_text)(?:\[\d+\])?$/;

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text).value;
  } catch {
    return undefined;
  }
}
