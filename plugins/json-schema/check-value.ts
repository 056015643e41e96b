/**
 * The structure plugin `json-schema`: arguments and answers checked against JSON Schemas. The schemas are those of the
 * policy or of the tools in the request.
 */
import { canonicalJson, type JsonValue } from '../../src/core/plugin-api.js';
import { isList, isObject, member, type JsonObject } from './keywords.js';
import { followReference, SchemaUnusable, type PreparedSchema } from './prepare-schema.js';

/** Maximum steps of one check: visited parts of the schema, compared items and characters. */
const MAX_STEPS = 200_000;
const MAX_DEPTH = 200;
const MAX_ERRORS = 100;
/** A search reads each character in one step and, in the worst case, another one for this number of instructions of the pattern. */
const INSTRUCTIONS_PER_STEP = 100;

/** The errors of a value: the keywords that it violates, never its content. */
export interface SchemaErrors {
  /** Number of errors, at most 100. */
  readonly count: number;
  readonly keywords: readonly string[];
}

/**
 * Checks a value against a schema. The schema can be untrusted: it is interpreted, never compiled to code, and the number of steps is
 * limited.
 *
 * @throws SchemaUnusable when the limit is reached
 */
export function checkValue(schema: PreparedSchema, value: JsonValue): SchemaErrors {
  const check = new Check(schema);
  check.schema(schema.root, value, 0, true);
  return { count: check.count, keywords: [...check.keywords].sort() };
}

class Check {
  readonly keywords = new Set<string>();
  count = 0;
  private steps = 0;

  constructor(private readonly prepared: PreparedSchema) {}

  /** @param report whether a mismatch counts as an error; false inside keywords that only test (`anyOf`, `not`, `if`) */
  schema(schema: JsonValue, value: JsonValue, depth: number, report: boolean): boolean {
    this.spend(1);
    if (depth > MAX_DEPTH) throw new SchemaUnusable('the schema refers to itself too deeply');
    if (typeof schema === 'boolean') return schema || this.fail('false', report);
    const at: Place = { schema: schema as JsonObject, value, depth: depth + 1, report };
    // All parts are evaluated, even after a failure, so that every error is counted.
    const parts = [this.reference(at), this.plain(at), this.combined(at)];
    if (typeof value === 'number') parts.push(this.number(at, value));
    if (typeof value === 'string') parts.push(this.text(at, value));
    if (isList(value)) parts.push(this.list(at, value));
    if (isObject(value)) parts.push(this.object(at, value));
    return parts.every(Boolean);
  }

  private reference({ schema, value, depth, report }: Place): boolean {
    const reference = member(schema, '$ref');
    if (reference === undefined) return true;
    return this.schema(followReference(this.prepared.root, reference as string), value, depth, report);
  }

  private plain({ schema, value, report }: Place): boolean {
    const type = member(schema, 'type');
    const types = type === undefined ? undefined : isList(type) ? type : [type];
    const allowed = member(schema, 'enum');
    const only = member(schema, 'const');
    return all(
      types === undefined || types.some((name) => isOfType(value, name as string)) || this.fail('type', report),
      !isList(allowed) || this.isAmong(value, allowed) || this.fail('enum', report),
      only === undefined || this.isAmong(value, [only]) || this.fail('const', report),
    );
  }

  private isAmong(value: JsonValue, allowed: readonly JsonValue[]): boolean {
    const wanted = this.canonical(value);
    return allowed.some((candidate) => this.canonical(candidate) === wanted);
  }

  private canonical(value: JsonValue): string {
    const text = canonicalJson(value);
    this.spend(text.length / 16);
    return text;
  }

  private number({ schema, report }: Place, value: number): boolean {
    const limit = (keyword: string, holds: (bound: number) => boolean): boolean => {
      const bound = member(schema, keyword);
      return typeof bound !== 'number' || holds(bound) || this.fail(keyword, report);
    };
    return all(
      limit('minimum', (bound) => value >= bound),
      limit('maximum', (bound) => value <= bound),
      limit('exclusiveMinimum', (bound) => value > bound),
      limit('exclusiveMaximum', (bound) => value < bound),
      limit('multipleOf', (bound) => Number.isInteger(value / bound)),
    );
  }

  private text({ schema, report }: Place, value: string): boolean {
    const pattern = member(schema, 'pattern');
    const counts = member(schema, 'minLength') !== undefined || member(schema, 'maxLength') !== undefined;
    if (counts) this.spend(value.length / 16);
    // JSON Schema counts characters, not UTF-16 units.
    const length = counts ? [...value].length : 0;
    return all(
      !counts || this.within(schema, 'minLength', 'maxLength', length, report),
      pattern === undefined || this.matches(pattern as string, value) || this.fail('pattern', report),
    );
  }

  private matches(pattern: string, text: string): boolean {
    const program = this.prepared.patterns.get(pattern)!;
    this.spend(text.length * (1 + program.programSize() / INSTRUCTIONS_PER_STEP));
    return program.test(text);
  }

  private list(at: Place, value: readonly JsonValue[]): boolean {
    const { schema, depth, report } = at;
    const items = member(schema, 'items');
    const prefix = isList(items) ? items : (member(schema, 'prefixItems') as readonly JsonValue[] | undefined);
    const rest = isList(items) ? member(schema, 'additionalItems') : items;
    const fits = value.map((item, index) => {
      const own = prefix?.[index] ?? (prefix !== undefined && index < prefix.length ? undefined : rest);
      return own === undefined || this.schema(own, item, depth, report);
    });
    return all(
      fits.every(Boolean),
      this.within(schema, 'minItems', 'maxItems', value.length, report),
      this.contains(at, value),
      member(schema, 'uniqueItems') !== true ||
        new Set(value.map((item) => this.canonical(item))).size === value.length ||
        this.fail('uniqueItems', report),
    );
  }

  private contains({ schema, depth, report }: Place, value: readonly JsonValue[]): boolean {
    const wanted = member(schema, 'contains');
    if (wanted === undefined) return true;
    const count = value.filter((item) => this.schema(wanted, item, depth, false)).length;
    const least = (member(schema, 'minContains') as number | undefined) ?? 1;
    const most = (member(schema, 'maxContains') as number | undefined) ?? Number.POSITIVE_INFINITY;
    return (count >= least && count <= most) || this.fail('contains', report);
  }

  private object(at: Place, value: JsonObject): boolean {
    const { schema, report } = at;
    const names = Object.keys(value);
    return all(
      this.requires((member(schema, 'required') as readonly string[] | undefined) ?? [], value, 'required', report),
      this.within(schema, 'minProperties', 'maxProperties', names.length, report),
      names.map((name) => this.property(at, name, value[name]!)).every(Boolean),
      this.dependencies(at, value),
    );
  }

  private property({ schema, depth, report }: Place, name: string, value: JsonValue): boolean {
    const known = member((member(schema, 'properties') as JsonObject | undefined) ?? {}, name);
    const byPattern = Object.entries((member(schema, 'patternProperties') as JsonObject | undefined) ?? {})
      .filter(([pattern]) => this.matches(pattern, name))
      .map(([, inner]) => inner);
    const others = known === undefined && byPattern.length === 0 ? member(schema, 'additionalProperties') : undefined;
    const names = member(schema, 'propertyNames');
    return all(
      known === undefined || this.schema(known, value, depth, report),
      byPattern.map((inner) => this.schema(inner, value, depth, report)).every(Boolean),
      others === undefined ||
        (others === false ? this.fail('additionalProperties', report) : this.schema(others, value, depth, report)),
      names === undefined || this.schema(names, name, depth, false) || this.fail('propertyNames', report),
    );
  }

  private dependencies({ schema, depth, report }: Place, value: JsonObject): boolean {
    const results: boolean[] = [];
    for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
      for (const [name, needed] of Object.entries((member(schema, keyword) as JsonObject | undefined) ?? {})) {
        if (!Object.hasOwn(value, name)) continue;
        if (isList(needed)) results.push(this.requires(needed as readonly string[], value, keyword, report));
        else results.push(this.schema(needed, value, depth, report));
      }
    }
    return results.every(Boolean);
  }

  private requires(names: readonly string[], value: JsonObject, keyword: string, report: boolean): boolean {
    this.spend(names.length / 16);
    return names.map((name) => Object.hasOwn(value, name) || this.fail(keyword, report)).every(Boolean);
  }

  private combined({ schema, value, depth, report }: Place): boolean {
    const schemas = (keyword: string): readonly JsonValue[] | undefined =>
      member(schema, keyword) as readonly JsonValue[] | undefined;
    const fits = (inner: JsonValue): boolean => this.schema(inner, value, depth, false);
    const not = member(schema, 'not');
    const condition = member(schema, 'if');
    const branch = condition === undefined ? undefined : member(schema, fits(condition) ? 'then' : 'else');
    return all(
      (schemas('allOf') ?? []).map((inner) => this.schema(inner, value, depth, report)).every(Boolean),
      schemas('anyOf')?.some(fits) !== false || this.fail('anyOf', report),
      schemas('oneOf') === undefined || schemas('oneOf')!.filter(fits).length === 1 || this.fail('oneOf', report),
      not === undefined || !fits(not) || this.fail('not', report),
      branch === undefined || this.schema(branch, value, depth, report),
    );
  }

  private within(schema: JsonObject, least: string, most: string, count: number, report: boolean): boolean {
    const minimum = member(schema, least);
    const maximum = member(schema, most);
    return all(
      typeof minimum !== 'number' || count >= minimum || this.fail(least, report),
      typeof maximum !== 'number' || count <= maximum || this.fail(most, report),
    );
  }

  private fail(keyword: string, report: boolean): false {
    if (report && this.count < MAX_ERRORS) {
      this.count++;
      this.keywords.add(keyword);
    }
    return false;
  }

  private spend(steps: number): void {
    this.steps += steps;
    if (this.steps > MAX_STEPS) throw new SchemaUnusable('the check takes too many steps');
  }
}

interface Place {
  readonly schema: JsonObject;
  readonly value: JsonValue;
  readonly depth: number;
  readonly report: boolean;
}

function all(...parts: readonly boolean[]): boolean {
  return parts.every(Boolean);
}

function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return isList(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === type;
  }
}
