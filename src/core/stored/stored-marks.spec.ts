import fc from 'fast-check';
import type { Dialect, Segment } from '../model/call.js';
import { decodeAnswer, decodeRequest } from '../providers/decode-call.js';
import { fileEdits } from '../call/file-edits.js';
import { parseJson, type JsonDocument } from '../json/json-document.js';
import { liftingEdits, mergeEdits } from '../json/splice.js';
import { applyEdits, maskAll, Numbering, type Mask } from '../redaction/index.js';
import { atOnce } from '../steps/steps.js';
import { MAX_EXCERPT, markingStored, MAX_MASKS, type StoredForm, type StoredMarks } from './index.js';

/** Texts that count as findings at any position. */
const FOUND = /MAIL-\d+|\u{1F511}\d+/gu;

const findingsIn = (segments: readonly Segment[]) =>
  segments.flatMap(({ text }, segment) =>
    [...text.matchAll(FOUND)].map((match) => ({
      ...{ segment, start: match.index, end: match.index + match[0].length, score: 1, detector: 'finder' },
      code: match[0].startsWith('M') ? 'EMAIL' : 'API_KEY',
    })),
  );

interface Kept {
  readonly stored: unknown;
  readonly marks: StoredMarks;
  readonly masks: readonly Mask[];
}

/** A stored body and its marks. */
function kept(body: unknown, dialect: Dialect = 'openai.chat', isAnswer = false): Kept {
  const doc = parseJson(typeof body === 'string' ? body : JSON.stringify(body));
  const call = (isAnswer ? decodeAnswer : decodeRequest)(dialect, doc);
  const masks = maskAll(findingsIn(call.segments), call.segments);
  const removals = atOnce(fileEdits(doc, call, masks));
  return { ...keptBy(doc, call.segments, masks, { kind: 'document', doc, removals }), masks };
}

function keptBy(doc: JsonDocument, segments: readonly Segment[], masks: readonly Mask[], form: StoredForm) {
  const removals = form.kind === 'document' ? form.removals : [];
  const text = applyEdits(doc.text, mergeEdits([...atOnce(liftingEdits(doc, segments, masks)), ...removals]));
  const marks = atOnce(
    markingStored({ form, segments, masks, ruleOf: (_detector, code) => `rule.${code}`, numbering: new Numbering() }),
  );
  return { stored: JSON.parse(text) as unknown, marks };
}

/** Follows a path into the stored body, and into JSON in strings. */
function textAt(value: unknown, path: string): unknown {
  const steps = path === '$' ? [] : [...path.matchAll(/\[(\d+)\]|\{(\d+)\}|([^.[\]{}]+)/g)];
  let at: unknown = value;
  for (let index = 0; index < steps.length;) {
    if (typeof at === 'string') at = JSON.parse(at);
    const [, item, position] = steps[index]!;
    if (item !== undefined) at = (at as unknown[])[Number(item)];
    else if (position !== undefined) at = Object.values(at as object)[Number(position)];
    else {
      // A name may itself contain dots.
      let name = '';
      let next = index;
      do name += `${name === '' ? '' : '.'}${steps[next++]![3]!}`;
      while (!Object.hasOwn(at as object, name) && steps[next]?.[3] !== undefined);
      at = (at as Record<string, unknown>)[name];
      index = next - 1;
    }
    index++;
  }
  return at;
}

const shownAt = ({ stored, marks }: Kept): unknown[] =>
  marks.masks.map(({ path, start, end }) => String(textAt(stored, path)).slice(start, end));

describe('The marks of a stored text', () => {
  it('contain the position of each mask in the masked text, its detector and rule, and which values are equal', () => {
    const content = 'Write to MAIL-1, not MAIL-22, at once: MAIL-1 \u{1F511}7';
    const { marks } = kept({ messages: [{ role: 'user', content }] });
    const at = { path: 'messages[0].content', detector: 'finder' };
    expect(marks).toEqual({
      masks: [
        { ...at, start: 9, end: 16, entity: 'EMAIL', rule: 'rule.EMAIL', n: 1 },
        { ...at, start: 22, end: 29, entity: 'EMAIL', rule: 'rule.EMAIL', n: 2 },
        { ...at, start: 40, end: 47, entity: 'EMAIL', rule: 'rule.EMAIL', n: 1 },
        { ...at, start: 48, end: 57, entity: 'API_KEY', rule: 'rule.API_KEY', n: 1 },
      ],
      masksLeftOut: 0,
      excerpt: 'Write to [EMAIL], not [EMAIL], at once: [EMAIL] [API_KEY]',
    });
  });

  it('have paths into tool arguments that are JSON in a string', () => {
    const args = JSON.stringify({ to: ['MAIL-1 and MAIL-2'], note: 'say "MAIL-3"\n' });
    const call = { id: 'c', type: 'function', function: { name: 'send', arguments: args } };
    const result = kept({ choices: [{ message: { role: 'assistant', tool_calls: [call] } }] }, 'openai.chat', true);
    expect(result.marks.masks.map(({ path }) => path)).toEqual([
      ...Array(2).fill('choices[0].message.tool_calls[0].function.arguments.to[0]'),
      'choices[0].message.tool_calls[0].function.arguments.note',
    ]);
    expect(shownAt(result)).toEqual(['[EMAIL]', '[EMAIL]', '[EMAIL]']);
  });

  it('have no paths to names of members, below masked names, or into base64', () => {
    const base64 = Buffer.from('a long text with MAIL-5 in it, and more of the same kind').toString('base64');
    const result = kept({
      messages: [
        { role: 'user', content: 'hello', 'MAIL-1': { deep: 'MAIL-2' } },
        { role: 'user', content: `MAIL-3 data:text/plain;base64,${base64}` },
        { role: 'user', content: 'the last one, MAIL-9' },
      ],
    });
    expect(result.marks.masks).toMatchObject([{ path: 'messages[2].content' }]);
    expect(result.marks.masksLeftOut).toBe(result.masks.length - 1);
    expect(JSON.stringify(result.stored)).not.toContain('MAIL-');
    expect(result.marks.excerpt).toBe('the last one, [EMAIL]');
  });

  it('describe the last of two members with the same name, because parsers use the last', () => {
    const result = kept('{"messages":[{"role":"user","content":"xx MAIL-1","content":"MAIL-2"}]}');
    expect(result.marks).toMatchObject({ masks: [{ start: 0, end: 7 }], masksLeftOut: 1, excerpt: '[EMAIL]' });
    expect(shownAt(result)).toEqual(['[EMAIL]']);
  });

  it('have no excerpt from a file that is not stored', () => {
    const url = `data:image/png;base64,${Buffer.from('\u0089PNG\r\n\u001a\n'.repeat(60), 'latin1').toString('base64')}`;
    const result = kept({
      messages: [
        { role: 'user', content: 'What is this?' },
        { role: 'user', content: `Look: ${url}` },
      ],
    });
    expect(JSON.stringify(result.stored)).toContain('[FILE ');
    expect(result.marks.excerpt).toBe('What is this?');
  });

  it('contain the first thousand masks and the number of further masks', () => {
    const content = Array.from({ length: MAX_MASKS + 7 }, (_, index) => `MAIL-${index}`).join(' ');
    const result = kept({ messages: [{ role: 'user', content }] });
    expect(result.marks.masks).toHaveLength(MAX_MASKS);
    expect(result.marks.masks.at(-1)!.n).toBe(MAX_MASKS);
    expect(result.marks.masksLeftOut).toBe(7);
    expect(new Set(shownAt(result))).toEqual(new Set(['[EMAIL]']));
  });

  it('of a stream refer to the list of its texts, and to no text outside the list', () => {
    const texts = ['nothing', 'to MAIL-1', 'a document, MAIL-2'];
    const segments = texts.map((text, ref): Segment => ({ path: 'x', role: 'assistant', text, ref }));
    const form: StoredForm = { kind: 'texts', count: 2 };
    const masks = maskAll(findingsIn(segments), segments);
    const result = atOnce(markingStored({ form, segments, masks, ruleOf: () => null, numbering: null }));
    expect(result).toEqual({
      masks: [{ path: 'texts[1].text', start: 3, end: 10, entity: 'EMAIL', detector: 'finder', rule: null, n: null }],
      masksLeftOut: 0,
      excerpt: 'to [EMAIL]',
    });
  });

  it('contain an excerpt of one short line that includes the first mask and splits no character', () => {
    const content = `\u{1F600}\n\t ${'\u{1F600}'.repeat(300)} MAIL-1 ${'\u{1F600}'.repeat(300)}`;
    const { excerpt } = kept({ messages: [{ role: 'user', content }] }).marks;
    expect(excerpt).toMatch(/^….* \[EMAIL\] .*…$/u);
    expect(excerpt!.isWellFormed()).toBe(true);
    expect(excerpt!.length).toBeLessThanOrEqual(MAX_EXCERPT);
  });

  it('point at the mask and contain no matched text, for any body', () => {
    const word = fc.oneof(
      fc.constantFrom('MAIL-1', 'MAIL-23', '\u{1F511}4', 'and', '\u{1F600}', '"', '\\', '\n', '[EMAIL]', 'data:,x'),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    const said = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
    const packed = said.map((text) => `see data:text/plain;base64,${Buffer.from(text).toString('base64')}`);
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        said,
        packed,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(fc.constantFrom('content', 'text', 'name.of', 'MAIL-7'), said), tie('value'), {
          maxKeys: 3,
        }),
        tie('value').map((inner) => JSON.stringify(inner)),
      ),
    }));
    const bodies: fc.Arbitrary<readonly [unknown, Dialect, boolean]> = fc.oneof(
      fc.tuple(
        fc.record({ messages: fc.array(fc.record({ role: fc.constant('user'), content: value })) }),
        fc.constant('openai.chat' as const),
        fc.constant(false),
      ),
      fc.tuple(
        value.map((args) => ({
          choices: [
            {
              message: {
                role: 'assistant',
                content: 'x',
                tool_calls: [{ function: { name: 'f', arguments: JSON.stringify(args) } }],
              },
            },
          ],
        })),
        fc.constant('openai.chat' as const),
        fc.constant(true),
      ),
      fc.tuple(value, fc.constant('generic' as const), fc.boolean()),
    );
    fc.assert(
      fc.property(bodies, ([body, dialect, isAnswer]) => {
        const result = kept(JSON.stringify(body), dialect, isAnswer);
        expect(shownAt(result)).toEqual(result.marks.masks.map(({ entity }) => `[${entity}]`));
        expect(JSON.stringify(result.marks)).not.toMatch(FOUND);
        expect(result.marks.excerpt?.length ?? 0).toBeLessThanOrEqual(MAX_EXCERPT);
      }),
      { numRuns: 150 },
    );
  });
});
