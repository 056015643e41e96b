import fc from 'fast-check';
import type { JsonValue } from '../model/call.js';
import { canonicalJson, writingCanonical } from './canonical-json.js';
import { parseJson } from './json-document.js';
import { isObject, isString, memberOf, numberOf, readingValue, stringOf } from './json-node.js';
import { JsonSyntaxError } from './json-parser.js';
import { atOnce } from '../steps/steps.js';

function accepts(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

/** Almost valid JSON: a valid text with a few characters inserted, deleted or replaced. */
const mutatedJson = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom('', '"', '\\', '{', '[', ',', ':', 'e', '.', '-', '0', '\u0000', '\\u12', ' ', '\ud83d'),
      ),
      {
        maxLength: 3,
      },
    ),
  )
  .map(([text, mutations]) =>
    mutations.reduce((mutated, [at, insert]) => {
      const index = at % (mutated.length + 1);
      return mutated.slice(0, index) + insert + mutated.slice(index + (at % 2));
    }, text),
  );

describe('parseJson', () => {
  it('accepts and rejects the same texts as JSON.parse, and returns the same values', () => {
    fc.assert(
      fc.property(mutatedJson, (text) => {
        const accepted = accepts(() => JSON.parse(text));
        expect(accepts(() => parseJson(text))).toBe(accepted);
        if (accepted) expect(parseJson(text).value).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads strings with any number of escapes, as values and as keys', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('\\n', '\\u00e4', 'x\\"', '\\ud83d\\ude00', '\\\\'),
        fc.constantFrom(1, 4_095, 4_096, 4_097, 8_192, 9_000),
        fc.constantFrom('', ' rest', '\\t'),
        (escape, count, rest) => {
          const string = `"${escape.repeat(count)}${rest}"`;
          for (const text of [string, `[${string},${string}]`, `{${string}:${string}}`]) {
            expect(parseJson(text).value).toStrictEqual(JSON.parse(text));
          }
          expect(parseJson(`[${string}]`).node(0)).toMatchObject({ start: 1, end: 1 + string.length });
          expect(() => parseJson(string.slice(0, -1))).toThrow(JsonSyntaxError);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('returns the same value in steps as at once', () => {
    const wide = fc
      .integer({ min: 0, max: 600 })
      .map((length) => JSON.stringify(Array.from({ length }, (_, i) => ({ i }))));
    fc.assert(
      fc.property(
        fc.oneof(fc.json({ maxDepth: 4 }), wide, fc.constant('{"__proto__":{"a":[1]},"a":1,"a":[2]}')),
        (text) => {
          expect(atOnce(readingValue(parseJson(text).root))).toStrictEqual(JSON.parse(text));
        },
      ),
    );
  });

  it.each([
    '',
    ' ',
    '{',
    '[',
    '"',
    '"\\',
    '"\\u12',
    '"\\x"',
    '01',
    '-',
    '1.',
    '.5',
    '1e',
    '+1',
    'nul',
    'True',
    "'a'",
    '{"a"}',
    '{"a":}',
    '{a:1}',
    '[1,]',
    '{"a":1,}',
    '1 2',
    '"a\nb"',
    '"\u0000"',
    '\ufeff{}',
    '[1]]',
    '// c',
    'NaN',
    'Infinity',
    '"\\u{41}"',
    '\u00a01',
    '{"a":1 "b":2}',
  ])('refuses %j', (text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(() => parseJson(text)).toThrow(JsonSyntaxError);
  });

  it('rejects characters below U+0020 in a string, and accepts U+0020 and U+007F', () => {
    for (let code = 0; code < 0x20; code++)
      expect(() => parseJson(`"${String.fromCharCode(code)}"`)).toThrow('Control');
    expect(parseJson('" \u007f"').value).toBe(' \u007f');
  });

  it('lists every string and long integer with the range of its token', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const doc = parseJson(text);
        for (const node of doc.texts)
          expect(String(JSON.parse(doc.text.slice(node.start, node.end)))).toBe(
            node.kind === 'string' ? node.text : String(Number(node.text)),
          );
      }),
    );
  });

  it('lists both values of a duplicate key, and the last one wins', () => {
    const doc = parseJson('{"a":"first","a":"second"}');
    expect(doc.texts.map((node) => node.text)).toEqual(['a', 'first', 'a', 'second']);
    expect(doc.value).toEqual({ a: 'second' });
    expect(stringOf(doc.root, 'a')).toBe('second');
  });

  it('keeps __proto__ as an own key and leaves the prototype alone', () => {
    const value = parseJson('{"__proto__":{"polluted":true},"constructor":1}').value as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('reads numbers beyond double range as JSON.parse does', () => {
    expect(parseJson('[1e400,-1e400,1e-400,-0]').value).toEqual([Infinity, -Infinity, 0, -0]);
  });

  it('lists long integers with their range in the text, because they may be account numbers', () => {
    const doc = parseJson('{"card":4111111111111111,"short":1234567,"float":1.2345678901}');
    const card = doc.texts.find((node) => node.kind === 'number')!;
    expect(doc.text.slice(card.start, card.end)).toBe('4111111111111111');
    expect(doc.texts.filter((node) => node.kind === 'number')).toHaveLength(1);
    expect(numberOf(doc.root, 'card')).toBe(4111111111111111);
  });

  it.each([
    ['4111111111111111.0', '4111111111111111'],
    ['4111111111111111.000', '4111111111111111'],
    ['4.111111111111111e15', '4111111111111111'],
    ['4.111111111111111E+15', '4111111111111111'],
    ['41111111111111110e-1', '4111111111111111'],
    [`0.${'0'.repeat(30)}4111111111111111e46`, '4111111111111111'],
    [`4111111111111111${'0'.repeat(45)}e-45`, '4111111111111111'],
    ['-12345678e0', '-12345678'],
    ['123456789.50', '123456789.50'],
    ['12345678e-999999999999', '12345678e-999999999999'],
    ['12345678901e-8', '12345678901e-8'],
    ['4111111111111111.0e-12', '4111111111111111.0e-12'],
  ])('lists the number %s as %s, because models read it as the account number that it denotes', (literal, text) => {
    const doc = parseJson(`[${literal}]`);
    expect(doc.texts).toEqual([expect.objectContaining({ kind: 'number', text, start: 1, end: 1 + literal.length })]);
    expect(doc.value).toEqual(JSON.parse(doc.text));
    expect(atOnce(writingCanonical(doc.root))).toBe(canonicalJson(JSON.parse(doc.text) as JsonValue));
  });

  it('lists the same text for a long number in each notation', () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{7,18}$/);
    fc.assert(
      fc.property(digits, fc.nat({ max: 7 }), (text, at) => {
        const split = `${text.slice(0, at + 1)}.${text.slice(at + 1)}0e${text.length - at - 1}`;
        const shifted = `${text}${'0'.repeat(at)}E-${at}`;
        for (const literal of [text, `${text}.0`, split, shifted])
          expect(parseJson(literal).texts.map((node) => node.text)).toEqual([text]);
      }),
    );
  });

  it.each(['0.0123456789012345', '1234567.0', '1e6', '1e999999999', '-1.5e-05', '0e40'])(
    'lists no text for the number %s, which cannot be an account number',
    (literal) => {
      expect(parseJson(`[${literal}]`).texts).toEqual([]);
    },
  );

  it('rejects texts that exceed the limits for depth and nodes', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(64)).text).toHaveLength(128);
    expect(() => parseJson(nested(65))).toThrow('Nested deeper than 64 levels');
    expect(() => parseJson(nested(200_000))).toThrow(JsonSyntaxError);
    expect(() => parseJson('["a","b","c"]', { maxNodes: 3 })).toThrow('More than 3 strings');
  });

  it('reports line and column of an error, and never quotes the text', () => {
    const secret = 'hunter' + '2-very-secret';
    let message = '';
    let error: JsonSyntaxError | undefined;
    try {
      parseJson(`{\n  "password": "${secret}" ${secret}\n}`);
    } catch (caught) {
      error = caught as JsonSyntaxError;
      message = error.message;
    }
    expect(message).toBe('Expected "," or "}" at line 2, column 37');
    expect(error).toMatchObject({ line: 2, column: 37, offset: 38 });
    expect(message).not.toContain('hunter');
  });

  it('parses JSON inside a string, and returns undefined for other strings', () => {
    const doc = parseJson(
      JSON.stringify({ args: JSON.stringify({ to: 'a' }), text: '[not json', number: '12', object: { x: 1 } }),
    );
    const args = memberOf(doc.root, 'args');
    const inner = isString(args) ? doc.nested(args) : undefined;
    expect(isObject(inner)).toBe(true);
    expect(stringOf(inner, 'to')).toBe('a');
    for (const key of ['text', 'number']) {
      const node = memberOf(doc.root, key);
      expect(isString(node) && doc.nested(node)).toBeUndefined();
    }
    const refs = doc.texts.map((node) => node.ref);
    expect(refs).toEqual(refs.map((_, index) => index));
  });

  it('stops parsing JSON in strings after three levels', () => {
    let text = JSON.stringify({ end: 'x' });
    for (let level = 0; level < 5; level++) text = JSON.stringify({ inner: text });
    const doc = parseJson(text);
    let node = memberOf(doc.root, 'inner');
    let opened = 0;
    while (isString(node)) {
      const root = doc.nested(node);
      if (root === undefined) break;
      opened++;
      node = memberOf(root, 'inner');
    }
    expect(opened).toBe(3);
    const last = node;
    expect(isString(last) && accepts(() => atOnce(doc.requiringNested(last)))).toBe(false);
  });

  it('accepts numbers inside a string that only some clients accept', () => {
    const doc = parseJson(JSON.stringify({ args: '{"a":NaN,"b":[-Infinity]}' }));
    const args = memberOf(doc.root, 'args');
    const inner = isString(args) ? doc.nested(args) : undefined;
    expect(isObject(inner) && atOnce(readingValue(inner))).toEqual({ a: NaN, b: [-Infinity] });
  });

  it('does not confuse JSON over a limit inside a string with plain text where that matters', () => {
    const deep = '['.repeat(65) + ']'.repeat(65);
    const doc = parseJson(JSON.stringify({ deep, text: '[1' }));
    const [node, other] = ['deep', 'text'].map((key) => memberOf(doc.root, key));
    if (!isString(node) || !isString(other)) throw new Error('both members are strings');
    expect(doc.nested(node)).toBeUndefined();
    const message = /^A string contains JSON over a limit \(Nested deeper than 64 levels at .*\) at line 1, column 9$/;
    expect(() => atOnce(doc.requiringNested(node))).toThrow(message);
    expect(() => atOnce(doc.requiringNested(node))).toThrow(expect.objectContaining({ overLimit: true }));
    expect(atOnce(doc.requiringNested(other))).toBeUndefined();
  });
});

describe('parseJson of text that Python has written', () => {
  it('accepts NaN and Infinity only with the option nonFinite', () => {
    const text = '{"a":[NaN,-Infinity],"b":Infinity}';
    expect(parseJson(text, { nonFinite: true }).value).toEqual({ a: [NaN, -Infinity], b: Infinity });
    expect(() => parseJson(text)).toThrow(JsonSyntaxError);
    expect(() => parseJson('[nan]', { nonFinite: true })).toThrow(JsonSyntaxError);
  });

  it('distinguishes text that exceeds a limit from malformed text', () => {
    expect(() => parseJson('[[]]', { maxDepth: 1 })).toThrow(expect.objectContaining({ overLimit: true }));
    expect(() => parseJson('[1', { maxDepth: 1 })).toThrow(expect.objectContaining({ overLimit: false }));
  });
});
