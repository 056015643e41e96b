import fc from 'fast-check';
import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base';
import * as o200k from 'gpt-tokenizer/encoding/o200k_base';
import { encodingOf, tokenCountOf } from './vocabulary.js';

const options = { disallowedSpecial: new Set<string>() };
const WORDS = [
  'call_',
  'bcdfghjklmnpqrstvwxz',
  'X9-7',
  'https://a.example/',
  '  ',
  '\n',
  'straße',
  '東京',
  '🙂',
  '<|end|>',
];
const TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 200 }),
  fc
    .array(fc.oneof(fc.constantFrom(...WORDS), fc.string({ maxLength: 8 })), { maxLength: 30 })
    .map((parts) => parts.join('')),
);

describe.each([
  ['o200k_base', o200k],
  ['cl100k_base', cl100k],
] as const)('The tokens of a text, by the vocabulary %s', (_name, library) => {
  it('are as many as the library counts', () => {
    const count = tokenCountOf(library);
    fc.assert(
      fc.property(TEXT, (text) => expect(count(text)).toBe(library.countTokens(text, options))),
      { numRuns: 1_000 },
    );
  });

  it('are one for each single character and each short number', () => {
    const single = [
      ...Array.from({ length: 128 }, (_, unit) => String.fromCharCode(unit)),
      ...Array.from({ length: 1_000 }, (_, number) => [String(number), String(number).padStart(3, '0')]).flat(),
      ...Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0')),
    ];
    expect(single.filter((piece) => library.countTokens(piece, options) !== 1)).toEqual([]);
  });

  it('are those of pieces without gaps between them', () => {
    const pieces = encodingOf(library)!.tokenSplitRegex;
    fc.assert(fc.property(TEXT, (text) => expect((text.match(pieces) ?? []).join('')).toBe(text)));
  });

  it('are counted without the library, whose form is the expected one', () => {
    expect(encodingOf(library)).toBeDefined();
  });

  it('are counted by the library if it has another form', () => {
    const other = { ...library, default: {} };
    expect(tokenCountOf(other)('Hello world')).toBe(library.countTokens('Hello world', options));
  });
});
