import type { FactDefinition, FactType } from '../../core/model/fact.js';
import { OPERATOR_NAMES, operatorNamed, readsFact, type ValueKind } from '../../core/policy/operators.js';
import { comparesFacts } from '../../core/policy/parse-operand.js';
import type { JsonSchema } from '../../core/policy/source/shape.js';

const LIST_REFERENCE: JsonSchema = { type: 'string', pattern: '^\\$lists\\.[a-z][a-z0-9_]*$' };
/** A condition in the format of json-rules-engine; `weir fmt` writes it in Weir's format. */
const RAW_KEYS: Readonly<Record<string, JsonSchema>> = {
  fact: { type: 'string', description: 'The first part of the name of a fact, in the form of json-rules-engine.' },
  path: { type: 'string', description: 'The rest of the name of the fact.' },
  operator: { type: 'string', description: 'An operator of json-rules-engine or of Weir.' },
  value: { description: 'Value that the fact is compared with.' },
};

/** Another fact of the call in place of a value. */
const OTHER_FACT: JsonSchema = {
  type: 'object',
  properties: {
    fact: { type: 'string', description: 'The name of the fact, such as metadata.limit.' },
    path: { type: 'string', description: 'The rest of the name of the fact, in the form of json-rules-engine.' },
  },
  required: ['fact'],
  additionalProperties: false,
};

/** Facts of one entry of a list of tool calls. */
const ELEMENT: readonly Pick<FactDefinition, 'name' | 'type' | 'summary' | 'stages' | 'optional' | 'isToolName'>[] = [
  { name: 'name', type: 'string', summary: 'The name of the tool.', stages: [], optional: false, isToolName: true },
  { name: 'args.*', type: 'any', summary: 'An argument of the call.', stages: [], optional: true },
  { name: 'index', type: 'integer', summary: 'The place in the list, from 0.', stages: [], optional: false },
];

/** The schemas of conditions for `definitions`: every fact with its operators. */
export function conditionDefinitions(
  facts: readonly FactDefinition[],
  names: { readonly conditions: readonly string[]; readonly lists: readonly string[] },
): Record<string, JsonSchema> {
  const makers = new Definitions(names.lists);
  const use = names.conditions.length === 0 ? { type: 'string' } : { type: 'string', enum: names.conditions };
  const condition = makers.condition('condition', facts, { use: { ...use, description: 'A named condition.' } });
  const element = makers.condition('element', ELEMENT as readonly FactDefinition[], {});
  const step = {
    type: 'object',
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: { $ref: '#/definitions/element' },
  };
  const flow: JsonSchema = {
    type: 'object',
    properties: { from: step, to: step },
    required: ['from', 'to'],
    additionalProperties: false,
  };
  return { condition, element, flow, ...makers.made };
}

class Definitions {
  readonly made: Record<string, JsonSchema> = {};
  private readonly names = new Map<string, string>();

  constructor(private readonly lists: readonly string[]) {}

  condition(self: string, facts: readonly FactDefinition[], more: Readonly<Record<string, JsonSchema>>): JsonSchema {
    const ref = { $ref: `#/definitions/${self}` };
    const group = (description: string): JsonSchema => ({ type: 'array', items: ref, minItems: 1, description });
    const exact = facts.filter(({ name }) => !name.endsWith('.*'));
    const open = facts.filter(({ name }) => name.endsWith('.*'));
    return {
      type: 'object',
      minProperties: 1,
      properties: {
        all: group('True when all of these conditions are true.'),
        any: group('True when at least one of these conditions is true.'),
        not: { allOf: [ref], description: 'True when this condition is false.' },
        ...more,
        ...Object.fromEntries(exact.map((fact) => [fact.name, this.leaf(fact)])),
        ...RAW_KEYS,
      },
      patternProperties: Object.fromEntries(
        open.map((fact) => [`^${fact.name.slice(0, -2).replaceAll('.', '\\.')}\\.`, this.leaf(fact)]),
      ),
      additionalProperties: false,
      if: { required: ['fact'] },
      then: { required: ['operator', 'value'], maxProperties: 4 },
      else: { maxProperties: 1 },
    };
  }

  private leaf(fact: FactDefinition): JsonSchema {
    const key = JSON.stringify([fact.type, fact.values, fact.range, fact.isToolName]);
    let name = this.names.get(key);
    if (name === undefined) {
      const same = [...this.names.values()].filter((other) => other.startsWith(`of_${fact.type}`)).length;
      name = same === 0 ? `of_${fact.type}` : `of_${fact.type}_${same + 1}`;
      this.names.set(key, name);
      this.made[name] = this.operators(fact);
    }
    return { allOf: [{ $ref: `#/definitions/${name}` }], description: about(fact) };
  }

  private operators(fact: FactDefinition): JsonSchema {
    if (fact.type === 'flow') return { $ref: '#/definitions/flow' };
    const names = OPERATOR_NAMES.filter((name) => readsFact(operatorNamed(name)!.definition, fact));
    const properties = names.map((name) => {
      const { definition, negated } = operatorNamed(name)!;
      const description = `The fact ${negated ? `is not: ${definition.summary}` : definition.summary} …`;
      const operand = this.operand(definition.value, fact);
      if (!comparesFacts({ op: name, kind: definition.value })) return [name, { ...operand, description }] as const;
      return [name, { anyOf: [operand, OTHER_FACT], description }] as const;
    });
    const operators = {
      properties: Object.fromEntries(properties),
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
    };
    if (!names.includes('eq')) return { type: 'object', ...operators };
    // A plain value means `eq`.
    const { type, enum: values, ...range } = scalarOf(fact);
    const types = [...(Array.isArray(type) ? (type as unknown[]) : [type]), 'object'];
    const closed = values === undefined ? {} : { if: { type: 'string' }, then: { enum: values } };
    return { type: types, ...operators, ...range, ...closed };
  }

  private operand(kind: ValueKind, fact: FactDefinition): JsonSchema {
    switch (kind) {
      case 'scalar':
        return scalarOf(fact);
      case 'scalars':
        return this.listOf(scalarOf(fact));
      case 'names':
        return this.listOf({ type: 'string' });
      case 'number':
        return { ...scalarOf({ ...fact, type: 'number' }), type: 'number' };
      case 'text':
      case 'pattern':
      case 'time':
      case 'version':
        return { type: 'string', minLength: 1 };
      case 'boolean':
        return { type: 'boolean' };
      case 'predicate':
        return { allOf: [{ $ref: '#/definitions/element' }] };
      case 'flow':
        return { $ref: '#/definitions/flow' };
    }
  }

  private listOf(items: JsonSchema): JsonSchema {
    const known = this.lists.map((name) => `$lists.${name}`);
    const reference = known.length === 0 ? LIST_REFERENCE : { type: 'string', enum: known };
    return { anyOf: [{ type: 'array', items, minItems: 1 }, reference] };
  }
}

const TYPES: Readonly<Partial<Record<FactType, unknown>>> = {
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  any: ['string', 'number', 'boolean'],
};

function scalarOf({ type, values, range }: Pick<FactDefinition, 'type' | 'values' | 'range'>): JsonSchema {
  return {
    type: TYPES[type] ?? 'string',
    ...(values !== undefined && values.length > 0 && { enum: values }),
    ...(range?.min !== undefined && { minimum: range.min }),
    ...(range?.max !== undefined && { maximum: range.max }),
  };
}

function about({ summary, type, unit, stages, optional, clientControlled }: FactDefinition): string {
  const facts = [
    type.replaceAll('_', ' '),
    unit?.replaceAll('_', ' '),
    stages.length === 0 || stages.length === 3 ? undefined : `stages: ${stages.join(', ')}`,
    optional ? 'optional' : undefined,
    clientControlled ? 'the caller controls the value' : undefined,
  ];
  return `${summary} (${facts.filter((part) => part !== undefined).join('; ')})`;
}
