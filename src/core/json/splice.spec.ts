import fc from 'fast-check';
import type { JsonValue, Segment } from '../model/call.js';
import { parseJson, type JsonDocument } from './json-document.js';
import type { TextNode } from './json-node.js';
import { applyEdits, type Edit, type TextEdit } from '../text/edit.js';
import { mergeEdits, splice } from './splice.js';

function segmentOf(node: TextNode): Segment {
  return { path: '', role: 'other', text: node.text, ref: node.ref };
}

function allSegments(doc: JsonDocument): Segment[] {
  return doc.texts.map(segmentOf);
}

const hex = (code: number) => code.toString(16).padStart(4, '0');

/** One character of a JSON string in any spelling: raw, as a letter escape, or as a numeric escape. */
const writtenCharacter = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.constantFrom(
    '\\"',
    '\\\\',
    '\\/',
    '\\b',
    '\\f',
    '\\n',
    '\\r',
    '\\t',
    '\\u0000',
    '\\ud83d',
    '\\ude00',
    '\\uD83D\\uDE00',
    '😀',
    'é',
    '\u2028',
  ),
  fc.integer({ min: 0, max: 0xffff }).map((code) => `\\u${hex(code)}`),
);
const writtenString = fc.array(writtenCharacter, { maxLength: 12 }).map((parts) => `"${parts.join('')}"`);
const space = fc.constantFrom('', ' ', '\n', '\t \r\n');

/** JSON texts that no serialiser would write: white space anywhere, duplicate keys, any escape, numbers out of range. */
const { value: hostileJson } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    writtenString,
    fc.constantFrom('1e400', '-0', '-0.0e-1', '12345678901234567890', 'true', 'null', '""', '{}', '[]'),
    fc
      .tuple(fc.array(tie('value'), { maxLength: 3 }), space)
      .map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
    fc
      .tuple(
        fc.array(fc.tuple(fc.oneof(writtenString, fc.constantFrom('"a"', '"__proto__"')), tie('value')), {
          maxLength: 3,
        }),
        space,
      )
      .map(
        ([members, gap]) =>
          `{${gap}${members.map(([key, item]) => `${key}${gap}:${gap}${item}`).join(`${gap},${gap}`)}${gap}}`,
      ),
  ),
}));

/** A few edits of texts of the document, without overlaps. */
function someEdits(
  doc: JsonDocument,
  picks: readonly { node: number; at: number; length: number; replacement: string }[],
): Edit[] {
  const perSegment = new Map<number, TextEdit[]>();
  for (const { node, at, length, replacement } of picks) {
    if (doc.texts.length === 0) break;
    const segment = node % doc.texts.length;
    const text = doc.texts[segment]!.text;
    const start = at % (text.length + 1);
    const end = Math.min(text.length, start + length);
    perSegment.set(segment, [...(perSegment.get(segment) ?? []), { start, end, replacement }]);
  }
  return [...perSegment].flatMap(([segment, edits]) => mergeEdits(edits).map((edit) => ({ segment, ...edit })));
}

const picks = fc.array(
  fc.record({
    node: fc.nat(),
    at: fc.nat(),
    length: fc.nat({ max: 6 }),
    replacement: fc.oneof(fc.constantFrom('[EMAIL]', '"', '\\', '\u0000'), fc.string()),
  }),
  { maxLength: 5 },
);

describe('splice', () => {
  it('returns the identical text when there is nothing to replace', () => {
    fc.assert(
      fc.property(hostileJson, (text) => {
        const doc = parseJson(text);
        expect(splice(doc, allSegments(doc), [])).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('changes the edited leaves and nothing else', () => {
    fc.assert(
      fc.property(hostileJson, picks, (text, wanted) => {
        const doc = parseJson(text);
        const edits = someEdits(doc, wanted);
        const result = parseJson(splice(doc, allSegments(doc), edits));
        expect(result.texts).toHaveLength(doc.texts.length);
        doc.texts.forEach((node, segment) => {
          const own = edits.filter((edit) => edit.segment === segment);
          if (own.length === 0) {
            expect(result.text.slice(result.texts[segment]!.start, result.texts[segment]!.end)).toBe(
              text.slice(node.start, node.end),
            );
          } else if (!hasPair(node.text)) {
            expect(result.texts[segment]!.text).toBe(applyEdits(node.text, own));
          }
        });
        expect(outsideTexts(result)).toBe(outsideTexts(doc));
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps every character before and after a replaced range', () => {
    fc.assert(
      fc.property(
        fc.array(writtenCharacter),
        fc.array(writtenCharacter),
        fc.array(writtenCharacter),
        (before, match, after) => {
          const decoded = (parts: string[]) => JSON.parse(`"${parts.join('')}"`) as string;
          const joined = (left: string[], right: string[]) => hasPairAcross(decoded(left), decoded(right));
          fc.pre(match.length > 0 && !joined(before, match) && !joined(match, after));
          const doc = parseJson(`{ "k" :"${[...before, ...match, ...after].join('')}"}`);
          const start = decoded(before).length;
          const edit = { segment: 1, start, end: start + decoded(match).length, replacement: '[X"]' };
          expect(splice(doc, allSegments(doc), [edit])).toBe(`{ "k" :"${before.join('')}[X\\"]${after.join('')}"}`);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('escapes a replacement once per level in JSON that is nested two levels deep in strings', () => {
    const innermost = '{ "to":"\\u0061nna@x.org", "n": 1e400 }';
    const middle = `{"args" : ${JSON.stringify(innermost)}}`;
    const text = `{"a":1, "call": ${JSON.stringify(middle)} }`;
    const doc = parseJson(text);
    const call = doc.texts.find((node) => node.text === middle)!;
    doc.nested(call);
    doc.nested(doc.texts.find((node) => node.text === innermost)!);
    const segments = allSegments(doc);
    const leaf = segments.findIndex((segment) => segment.text === 'anna@x.org');
    const result = splice(doc, segments, [{ segment: leaf, start: 0, end: 4, replacement: '"[N]\\' }]);
    const expectedInner = innermost.replace('\\u0061nna', '\\"[N]\\\\');
    expect(result).toBe(
      text.replace(
        JSON.stringify(middle),
        JSON.stringify(middle.replace(JSON.stringify(innermost), JSON.stringify(expectedInner))),
      ),
    );
  });

  it('applies any edit in nested JSON exactly to its leaf', () => {
    fc.assert(
      fc.property(hostileJson, picks, (inner, wanted) => {
        fc.pre(/^[[{]/.test(inner.trim()));
        const outer = JSON.stringify({ arguments: inner });
        const doc = parseJson(outer);
        doc.nested(doc.texts[1]!);
        const innerDoc = parseJson(inner);
        const edits = someEdits(innerDoc, wanted);
        const expected = splice(innerDoc, allSegments(innerDoc), edits);
        const result = splice(
          doc,
          allSegments(doc),
          edits.map((edit) => ({ ...edit, segment: edit.segment + 2 })),
        );
        expect((parseJson(result).value as { arguments: string }).arguments).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('replaces the complete range that overlapping edits cover', () => {
    const doc = parseJson('{"k":"0123456789"}');
    const edits = [
      { segment: 1, start: 4, end: 8, replacement: 'B' },
      { segment: 1, start: 2, end: 5, replacement: 'A' },
      { segment: 1, start: 3, end: 4, replacement: 'C' },
    ];
    expect(splice(doc, allSegments(doc), edits)).toBe('{"k":"01A89"}');
  });

  it('never cuts a surrogate pair', () => {
    for (const written of ['😀', '\\ud83d\\ude00']) {
      const doc = parseJson(`["a${written}b"]`);
      const edit = (start: number, end: number) =>
        splice(doc, allSegments(doc), [{ segment: 0, start, end, replacement: '_' }]);
      expect(edit(0, 2)).toBe('["_b"]');
      expect(edit(2, 4)).toBe('["a_"]');
      expect(edit(1, 3)).toBe('["a_b"]');
    }
  });

  it('turns an edited number into a string, with all its edits applied', () => {
    const doc = parseJson('{"card": 4111111111111111}');
    const edits = [
      { segment: 1, start: 0, end: 4, replacement: '*' },
      { segment: 1, start: 12, end: 16, replacement: '*' },
    ];
    expect(splice(doc, allSegments(doc), edits)).toBe('{"card": "*11111111*"}');
  });

  it('refuses an edit outside its text', () => {
    const doc = parseJson('["abc"]');
    expect(() => splice(doc, allSegments(doc), [{ segment: 0, start: 2, end: 4, replacement: '' }])).toThrow(
      RangeError,
    );
    expect(() => splice(doc, allSegments(doc), [{ segment: 7, start: 0, end: 1, replacement: '' }])).toThrow(
      RangeError,
    );
  });

  it('copies 10 MB around an edit, byte for byte', () => {
    const filler = '{ "a\\u0062" :"\\ud83d\\ude00 \\/ é😀", "n":1e400,"n" :-0.0e-1 },\n';
    const half = filler.repeat(Math.ceil(5_000_000 / Buffer.byteLength(filler)));
    const text = `[${half}"to \\u006dail-1"\t,${half}null]`;
    const bytes = Buffer.from(text);
    expect(bytes.length).toBeGreaterThan(10_000_000);
    const doc = parseJson(text);
    expect(splice(doc, allSegments(doc), [])).toBe(text);
    const segment = doc.texts.findIndex((node) => node.text === 'to mail-1');
    const node = doc.texts[segment]!;
    const result = Buffer.from(splice(doc, allSegments(doc), [{ segment, start: 3, end: 9, replacement: '[M]"' }]));
    const before = Buffer.byteLength(text.slice(0, node.start));
    const after = Buffer.byteLength(text.slice(node.end));
    expect(result.subarray(0, before).equals(bytes.subarray(0, before))).toBe(true);
    expect(result.subarray(-after).equals(bytes.subarray(-after))).toBe(true);
    expect(result.subarray(before, -after).toString()).toBe('"to [M]\\""');
  }, 30_000);

  it('is linear in the number of edits and escapes', () => {
    const count = 100_000;
    const doc = parseJson(JSON.stringify({ k: '\n@'.repeat(count) }));
    const edits = Array.from({ length: count }, (_, index) => ({
      segment: 1,
      start: index * 2 + 1,
      end: index * 2 + 2,
      replacement: '#',
    }));
    const result = parseJson(splice(doc, allSegments(doc), edits)).value as { k: JsonValue };
    expect(result.k).toBe('\n#'.repeat(count));
  });
});

function hasPair(text: string): boolean {
  return /[\ud800-\udbff][\udc00-\udfff]/.test(text);
}

function hasPairAcross(left: string, right: string): boolean {
  return hasPair(left.slice(-1) + right.slice(0, 1));
}

/** The text without its strings and long numbers. */
function outsideTexts(doc: JsonDocument): string {
  return applyEdits(
    doc.text,
    doc.texts.map(({ start, end }) => ({ start, end, replacement: '' })),
  );
}
