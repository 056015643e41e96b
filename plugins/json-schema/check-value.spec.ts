import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { JsonValue } from '../../src/core/index.js';
import { checkValue } from './check-value.js';
import { prepareSchema } from './prepare-schema.js';

const check = (schema: JsonValue, value: JsonValue) => checkValue(prepareSchema(schema), value);
const wrong = (schema: JsonValue, value: JsonValue): readonly string[] => check(schema, value).keywords;

describe('Checking a value against a JSON Schema', () => {
  it.each<[string, JsonValue, JsonValue, readonly string[]]>([
    [
      'a missing and a wrong argument',
      { required: ['to'], properties: { n: { type: 'integer' } } },
      { n: 1.5 },
      ['required', 'type'],
    ],
    [
      'an argument that the schema does not name',
      { properties: { a: {} }, additionalProperties: false },
      { b: 1 },
      ['additionalProperties'],
    ],
    ['a value outside the list', { enum: ['a', { b: [1] }] }, { b: [2] }, ['enum']],
    ['equal values whatever the order of keys', { const: { a: 1, b: 2 } }, { b: 2, a: 1 }, []],
    ['characters, not UTF-16 units', { minLength: 2 }, '😀', ['minLength']],
    ['a pattern anywhere in the text', { pattern: 'b+' }, 'abbc', []],
    ['an anchored pattern', { pattern: '@x\\.org$' }, 'a@x.org.evil', ['pattern']],
    ['one wrong item of a list', { items: { type: 'string' } }, ['a', 1], ['type']],
    ['tuples in the older form', { items: [{ type: 'string' }], additionalItems: false }, ['a', 1], ['false']],
    ['tuples of 2020-12', { prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 'b'], ['type']],
    ['repeated items', { uniqueItems: true }, [{ a: 1 }, { a: 1 }], ['uniqueItems']],
    ['a reference', { $defs: { s: { type: 'string' } }, properties: { a: { $ref: '#/$defs/s' } } }, { a: 1 }, ['type']],
    [
      'a schema that refers to itself',
      { properties: { next: { $ref: '#' } }, required: ['v'] },
      { v: 1, next: {} },
      ['required'],
    ],
    ['a condition', { if: { required: ['a'] }, then: { required: ['b'] }, else: false }, { a: 1 }, ['required']],
    ['a value that matches two of several schemas', { oneOf: [{ type: 'number' }, { type: 'integer' }] }, 1, ['oneOf']],
    ['a value that must not occur', { not: { type: 'null' } }, null, ['not']],
    [
      'a missing __proto__ like any other name',
      JSON.parse('{"required":["__proto__"]}') as JsonValue,
      {},
      ['required'],
    ],
    ['a missing name that objects inherit', { required: ['toString'] }, {}, ['required']],
  ])('returns the violated keywords, if any: %s', (_what, schema, value, keywords) => {
    expect(wrong(schema, value)).toEqual(keywords);
  });

  it('counts every error, up to a hundred', () => {
    expect(check({ items: { type: 'string' } }, [1, 2, 'a', 3]).count).toBe(3);
    expect(
      check(
        { items: { type: 'string' } },
        Array.from({ length: 500 }, () => 1),
      ).count,
    ).toBe(100);
  });

  it.each<[string, JsonValue, string]>([
    ['a keyword of the wrong kind', { minLength: 'x' }, '"minLength" needs a whole number'],
    ['an unknown type', { type: 'strin' }, '"type" needs a type'],
    ['a reference to elsewhere', { $ref: 'https://x.org/s.json' }, '"$ref" points outside'],
    ['a reference to nothing', { $ref: '#/$defs/none' }, '"$ref" points to nothing'],
    ['a pattern with look-ahead', { pattern: '(?=a)' }, '"pattern" has a pattern that is not valid RE2'],
    ['an unsupported keyword', { unevaluatedProperties: false }, '"unevaluatedProperties" is not supported'],
    ['too many parts', { allOf: Array.from({ length: 5_001 }, () => ({})) }, 'more than 5000 parts'],
    ['a number in its place', 17, 'a schema must be an object, true or false'],
  ])('refuses a schema with %s', (_what, schema, why) => {
    expect(() => prepareSchema(schema)).toThrow(why);
  });

  it('refuses a schema whose patterns would take seconds to compile', () => {
    const patterns = (pattern: string): JsonValue => ({
      properties: Object.fromEntries(
        Array.from({ length: 4_000 }, (_, index) => [`p${index}`, { pattern: `${index}${pattern}` }]),
      ),
    });
    const before = process.cpuUsage();
    for (const costly of [`(?i)${'[B-\\x{1e942}]'.repeat(70)}`, '[^\\pL]'.repeat(140), 'x{900}'.repeat(4)])
      expect(() => prepareSchema(patterns(costly))).toThrow('take too long to compile');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });

  it('stops a search that would take seconds in a long text', () => {
    const schema = { pattern: '[ab]*a[ab]{900}[ab]{900}[ab]{900}[^ab]' };
    expect(() => check(schema, 'ab'.repeat(10_000))).toThrow('too many steps');
    expect(check(schema, 'ab'.repeat(500)).count).toBe(1);
  });

  it('refuses a schema that is nested too deeply', () => {
    let schema: JsonValue = {};
    for (let level = 0; level < 10_000; level++) schema = { not: schema };
    expect(() => prepareSchema(schema)).toThrow('nested deeper');
  });

  it('stops when a schema would make it run endlessly', () => {
    const doubling: Record<string, JsonValue> = {};
    for (let level = 0; level < 60; level++) {
      doubling[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] };
    }
    const endless = { $defs: { ...doubling, d60: {} }, $ref: '#/$defs/d0' };
    expect(() => check(endless, 'x')).toThrow('too many steps');
    expect(() => check({ $ref: '#' }, 'x')).toThrow('refers to itself too deeply');
    const items = Array.from({ length: 20_000 }, (_, index) => ({ index, text: 'x'.repeat(100) }));
    expect(() => check({ uniqueItems: true, items: { uniqueItems: true } }, items)).not.toThrow();
    expect(() => check({ contains: { enum: items.slice(0, 1_000) } }, items)).toThrow('too many steps');
  });

  it('applies contains to an empty list even if the schema has prefixItems', () => {
    expect(check({ prefixItems: [true, false], contains: { minimum: 3 } }, []).count).toBe(1);
  });

  it('accepts the same values as the library Ajv', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const expected = ajv.validate(schema as object, value);
        if (typeof schema === 'object') ajv.removeSchema(schema as object);
        expect(check(schema, value).count === 0).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});

const { value: values } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<JsonValue[]>(null, true, false, 0, 1, 2, 1.5, -1, '', 'a', 'ab', 'abc', '😀'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const count = fc.nat(3);
const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 });
const { schema: schemas } = fc.letrec<{ schema: JsonValue }>((tie) => {
  const schema = tie('schema');
  const some = fc.array(schema, { minLength: 1, maxLength: 3 });
  const byName = fc.dictionary(fc.constantFrom('a', 'b', 'c'), schema, { maxKeys: 2, noNullPrototype: true });
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.boolean(),
      fc
        .record(
          {
            type: fc.constantFrom<JsonValue[]>('string', 'number', 'integer', 'object', 'array', 'null', [
              'string',
              'array',
            ]),
            enum: fc.array(values, { minLength: 1, maxLength: 3 }),
            const: values,
            minimum: count,
            exclusiveMaximum: count,
            multipleOf: fc.constantFrom(1, 2, 0.5),
            minLength: count,
            maxLength: count,
            pattern: fc.constantFrom('^a', 'b$', 'c'),
            items: schema,
            prefixItems: some,
            contains: schema,
            minContains: count,
            maxContains: count,
            minItems: count,
            maxItems: count,
            uniqueItems: fc.boolean(),
            required: names,
            properties: byName,
            patternProperties: fc.dictionary(fc.constantFrom('^a', '[bc]'), schema, {
              maxKeys: 1,
              noNullPrototype: true,
            }),
            additionalProperties: schema,
            propertyNames: schema,
            minProperties: count,
            maxProperties: count,
            dependentRequired: fc.dictionary(fc.constantFrom('a', 'b'), names, { maxKeys: 1, noNullPrototype: true }),
            dependentSchemas: byName,
            allOf: some,
            anyOf: some,
            oneOf: some,
            not: schema,
            if: schema,
            then: schema,
            else: schema,
          },
          { requiredKeys: [], noNullPrototype: true },
        )
        // Few keywords per schema, since with all of them almost no value would be valid.
        .chain((all) => fc.subarray(Object.entries(all) as [string, JsonValue][], { maxLength: 4 }))
        // Next to `prefixItems`, Ajv sometimes does not apply `contains` to an empty list.
        .map((entries) =>
          entries.some(([name]) => name === 'prefixItems') ? entries.filter(([name]) => name !== 'contains') : entries,
        )
        .map((entries): JsonValue => Object.fromEntries(entries)),
    ),
  };
});
