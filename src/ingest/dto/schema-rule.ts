import type { SchemaObject } from 'ajv';

/** Metadata of a class decorator, which can be stored only with the class. */
const RULES = new WeakMap<object, SchemaObject[]>();

/**
 * Adds a rule between fields of a class to its JSON schema, such as "one of the two must be there". OpenAPI cannot express all of them,
 * so the descriptions of the fields state them there.
 */
export function SchemaRule(rule: SchemaObject): ClassDecorator {
  return (target) => {
    RULES.set(target, [...(RULES.get(target) ?? []), rule]);
  };
}

export function schemaRulesOf(target: object): readonly SchemaObject[] {
  return RULES.get(target) ?? [];
}
