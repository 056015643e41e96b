import fc from 'fast-check';
import type { JsonValue } from '../model/call.js';
import { decodeAnswer } from '../providers/decode-call.js';
import { parseJson } from '../json/json-document.js';
import { splice } from '../json/splice.js';
import { createRestorer, withRestored, type RestoreContext } from './index.js';

const EMAIL = '[EMAIL_kqtzbwmrnvdhsl]';
const OTHER = '[EMAIL_kqtzbwmrnvdhsg]';
const NAME = '[PERSON_bcdfghjklmnpqr]';
const NASTY = 'O"Neil \\ \n\t\u2028 \ud83d\ude00 \u0001 {"a":"b"} [PERSON_bcdfghjklmnpqr]';
const TOKENS = new Map([
  [EMAIL, 'jan@example.com'],
  [OTHER, ''],
  [NAME, NASTY],
]);

const restore = (text: string, context: RestoreContext = 'text', tokens: ReadonlyMap<string, string> = TOKENS) =>
  inPieces([text], context, tokens);

function inPieces(
  pieces: readonly string[],
  context: RestoreContext = 'text',
  tokens: ReadonlyMap<string, string> = TOKENS,
): string {
  const restorer = createRestorer(tokens, context);
  return pieces.map((piece) => restorer.push(piece)).join('') + restorer.end();
}

function cut(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...ends, text.length].map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end));
}

const places = fc.array(fc.nat(), { maxLength: 40 });
const tokenPiece = fc.constantFrom(
  EMAIL,
  OTHER,
  NAME,
  EMAIL.slice(0, -1),
  EMAIL.slice(0, 7),
  '[',
  '[[',
  EMAIL.toUpperCase(),
  EMAIL.replace('k', 'g'),
  NAME.replace(']', ' ]'),
);
const text = fc
  .array(fc.oneof(tokenPiece, fc.string({ unit: 'grapheme', maxLength: 6 })), { maxLength: 12 })
  .map((parts) => parts.join(''));

describe('createRestorer', () => {
  it('restores values and changes nothing else', () => {
    expect(restore(`Dear ${NAME}, write to ${EMAIL}.`)).toBe(`Dear ${NASTY}, write to jan@example.com.`);
    expect(restore('nothing here [1]')).toBe('nothing here [1]');
    expect(createRestorer(new Map()).push(EMAIL)).toBe(EMAIL);
  });

  it('emits all text that cannot be the start of a known token', () => {
    const restorer = createRestorer(TOKENS);
    expect(restorer.push('see [1] and [EM')).toBe('see [1] and ');
    expect(restorer.push('ACS] then [EMAIL_kq')).toBe('[EMACS] then ');
    expect(restorer.push('tzbwmrnvdhsl')).toBe('');
    expect(restorer.push(']')).toBe('jan@example.com');
    expect(restorer.push('!')).toBe('!');
    expect(restorer.push('[')).toBe('');
    expect(restorer.end()).toBe('[');
  });

  it('restores the longest of several tokens with a common prefix, even at the end of the text', () => {
    const tokens = new Map([
      ['<a', '1'],
      ['<ab', '2'],
    ]);
    expect(inPieces(['<', 'a', 'b<a', 'c<a'], 'text', tokens)).toBe('21c1');
  });

  it('returns the same result for every split of a short text', () => {
    const short = `[${EMAIL}${EMAIL.slice(0, 5)}[`;
    const whole = restore(short);
    for (let first = 0; first <= short.length; first++) {
      for (let second = first; second <= short.length; second++) {
        expect(inPieces([short.slice(0, first), short.slice(first, second), short.slice(second)])).toBe(whole);
      }
    }
  });

  it('returns the same result for any split of any text as for the whole text', () => {
    const pattern = new RegExp([...TOKENS.keys()].map((token) => token.replace(/[[\]]/g, '\\$&')).join('|'), 'g');
    fc.assert(
      fc.property(text, places, (whole, at) => {
        const expected = whole.replace(pattern, (token) => TOKENS.get(token)!);
        expect(restore(whole)).toBe(expected);
        expect(inPieces(cut(whole, at))).toBe(expected);
        expect(inPieces([...whole].flatMap((char) => [...char]))).toBe(expected);
      }),
    );
  });

  it('never restores a part of a token that was changed', () => {
    fc.assert(
      fc.property(fc.nat({ max: EMAIL.length - 1 }), fc.string({ unit: 'grapheme', maxLength: 2 }), (at, instead) => {
        const changed = EMAIL.slice(0, at) + instead + EMAIL.slice(at + 1);
        fc.pre(![...TOKENS.keys()].some((token) => changed.includes(token)));
        expect(restore(changed)).toBe(changed);
        expect(inPieces([...changed])).toBe(changed);
      }),
    );
  });
});

describe('createRestorer with the answer of a model', () => {
  const answers = fc.oneof(
    text,
    fc
      .dictionary(fc.string({ maxLength: 4 }), text, { minKeys: 1, maxKeys: 3, noNullPrototype: true })
      .map((value) => JSON.stringify(value, null, 2)),
    fc.array(text, { minLength: 1, maxLength: 3 }).map((value) => JSON.stringify(value)),
  );

  it('keeps structured output valid JSON, regardless of the restored values', () => {
    expect(JSON.parse(restore(`\n{ "name": "${NAME}" }`, 'answer'))).toEqual({ name: NASTY });
    expect(JSON.parse(restore(`["${NAME}"]`, 'answer'))).toEqual([NASTY]);
  });

  it('escapes nothing in prose, even if it is about JSON or begins with a bracket', () => {
    for (const prose of [`${NAME} said "${NAME}"`, `[1] "${NAME}"`, `{x} "${NAME}"`, `Here: {"a":"${NAME}"}`]) {
      expect(restore(prose, 'answer')).toBe(prose.replaceAll(NAME, NASTY));
    }
  });

  it('holds back only a beginning that could be JSON, and emits it at the end', () => {
    const restorer = createRestorer(TOKENS, 'answer');
    expect(restorer.push(' {')).toBe('');
    expect(restorer.push('x')).toBe(' {x');
    const open = createRestorer(TOKENS, 'answer');
    expect(open.push('{ ') + open.end()).toBe('{ ');
  });

  it('returns the same result for every split of the answer', () => {
    fc.assert(
      fc.property(answers, places, (whole, at) => {
        const expected = restore(whole, 'answer');
        expect(inPieces(cut(whole, at), 'answer')).toBe(expected);
        expect(inPieces([...whole], 'answer')).toBe(expected);
      }),
    );
  });
});

/** JSON with random white space and random escape sequences. */
function write(value: JsonValue, random: () => number): string {
  const blank = (): string => ['', '', ' ', '\n\t'][random() % 4]!;
  if (typeof value === 'string') {
    const units = [
      ...JSON.stringify(value)
        .slice(1, -1)
        .matchAll(/\\u.{4}|\\.|[\s\S]/g),
    ].map(([unit]) => unit);
    const spelt = units.map((unit) =>
      unit.length === 1 && random() % 5 === 0 ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : unit,
    );
    return `"${spelt.join('')}"`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const items = Array.isArray(value)
    ? value.map((item: JsonValue) => write(item, random))
    : Object.entries(value).map(([key, item]) => `${write(key, random)}${blank()}:${write(item, random)}`);
  const joined = items.map((item) => blank() + item + blank()).join(',');
  return Array.isArray(value) ? `[${joined}]` : `{${joined}}`;
}

/** Replaces each string that contains JSON by its parsed value. */
function expand(value: JsonValue, level = 1): JsonValue {
  if (typeof value === 'string') {
    const inner = level <= 2 && /^[[{]/.test(value) ? parsed(value) : undefined;
    return inner === undefined ? value : { json: expand(inner, level + 1) };
  }
  return mapValues(value, (item) => expand(item, level));
}

function parsed(value: string): JsonValue | undefined {
  try {
    return JSON.parse(value) as JsonValue;
  } catch {
    return undefined;
  }
}

function mapValues(value: JsonValue, change: (item: JsonValue) => JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(change);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]: [string, JsonValue]) => [key, change(item)]));
}

function restored(value: JsonValue): JsonValue {
  return typeof value === 'string' ? restore(value) : mapValues(value, restored);
}

/** Trees whose strings are texts with tokens, or the JSON of other such trees. Plain texts never begin like JSON. */
const plainText = text.filter((each) => !/^\s*[[{]\s*["{[\]}\-0-9tfn]/.test(each));
const tree = (level: number): fc.Arbitrary<JsonValue> => {
  const leaf: fc.Arbitrary<JsonValue> = fc.oneof(plainText, fc.integer(), fc.constant(null));
  const nested =
    level >= 3
      ? leaf
      : fc.oneof(
          { weight: 3, arbitrary: leaf },
          tree(level + 1).map((value) => JSON.stringify(value)),
        );
  const key = fc.string({ maxLength: 4 });
  return fc.oneof(
    fc.array(nested, { minLength: 1, maxLength: 3 }) as fc.Arbitrary<JsonValue>,
    fc.dictionary(key, nested, { minKeys: 1, maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<JsonValue>,
  );
};

describe('createRestorer inside JSON', () => {
  it('escapes values for the string into which they are inserted', () => {
    const whole = restore(`{"to":"${NAME}","raw":"{\\"to\\":\\"${NAME}\\"}"}`, 'json');
    const { to, raw } = JSON.parse(whole) as { to: string; raw: string };
    expect(to).toBe(NASTY);
    expect(JSON.parse(raw)).toEqual({ to: NASTY });
  });

  it('recognises a token written with escape sequences, and holds back an incomplete one', () => {
    const restorer = createRestorer(TOKENS, 'json');
    expect(restorer.push('{"a":"\\u00')).toBe('{"a":"');
    expect(restorer.push(`5b${EMAIL.slice(1)}"}`)).toBe('jan@example.com"}');
  });

  it('parses to the same tree as restoring the decoded texts, for any tree, escaping and split', () => {
    fc.assert(
      fc.property(tree(1), fc.infiniteStream(fc.nat()), places, (value, numbers, at) => {
        const json = write(value, () => numbers.next().value as number);
        const expected = restored(expand(JSON.parse(json) as JsonValue));
        const whole = restore(json, 'json');
        expect(expand(JSON.parse(whole) as JsonValue)).toEqual(expected);
        expect(inPieces(cut(json, at), 'json')).toBe(whole);
        expect(
          inPieces(
            [...json].flatMap((char) => char.split('')),
            'json',
          ),
        ).toBe(whole);
      }),
      { numRuns: 300 },
    );
  });

  it('returns the same as withRestored for a complete answer, including tool arguments', () => {
    fc.assert(
      fc.property(tree(1), text, (value, words) => {
        const args = JSON.stringify(value);
        const message = {
          role: 'assistant',
          content: words,
          tool_calls: [{ id: 'call_1', function: { name: 'f', arguments: args } }],
        };
        const doc = parseJson(JSON.stringify({ choices: [{ index: 0, message }] }));
        const { segments } = decodeAnswer('openai.chat', doc);
        const body = JSON.parse(splice(doc, segments, withRestored(segments, TOKENS, []))) as {
          choices: { message: { content: string; tool_calls: { function: { arguments: string } }[] } }[];
        };
        const answer = body.choices[0]!.message;
        expect(answer.content).toBe(restore(words));
        const streamed = JSON.parse(restore(args, 'json')) as JsonValue;
        expect(expand(JSON.parse(answer.tool_calls[0]!.function.arguments) as JsonValue)).toEqual(expand(streamed));
      }),
    );
  });
});

describe('withRestored', () => {
  it('collects the beginnings of the tokens once for all texts', () => {
    let collected = 0;
    const tokens = new (class extends Map<string, string> {
      override keys(): MapIterator<string> {
        collected++;
        return super.keys();
      }
    })(TOKENS);
    const segments = Array.from({ length: 100 }, () => segment(EMAIL, 'tool_call'));
    expect(withRestored(segments, tokens, [])).toHaveLength(100);
    expect(collected).toBe(1);
  });

  const segment = (whole: string, role: 'assistant' | 'tool_call' = 'assistant') => ({
    path: 'output',
    role,
    text: whole,
    ref: 0,
  });

  it('does not restore text that a rule masks', () => {
    const masked = { segment: 0, start: 2, end: 12, replacement: 'X' };
    const edits = withRestored([segment(`${EMAIL} ${EMAIL}`)], TOKENS, [masked]);
    expect(edits).toEqual([
      masked,
      { segment: 0, start: EMAIL.length + 1, end: 2 * EMAIL.length + 1, replacement: 'jan@example.com' },
    ]);
  });

  it('escapes nothing in an argument text that begins with a token and quotes another token', () => {
    const edits = withRestored([segment(`${EMAIL} said "${NAME}"`, 'tool_call')], TOKENS, []);
    expect(edits.map(({ replacement }) => replacement)).toEqual(['jan@example.com', NASTY]);
  });

  it('escapes values in truncated arguments', () => {
    const edits = withRestored([segment(`{"to":"${NAME}`, 'tool_call')], TOKENS, []);
    expect(edits.map(({ replacement }) => replacement)).toEqual([JSON.stringify(NASTY).slice(1, -1)]);
  });
});
