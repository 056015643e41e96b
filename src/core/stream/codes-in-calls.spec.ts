import fc from 'fast-check';
import { assembleStream } from './assemble-stream.js';
import { cut, guard, whole } from './testdata/guarding.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { TOOL_PROVIDERS, toolEvents } from './testdata/tool-streams.js';

const RULES: Readonly<Record<string, string>> = {
  'of an answer': masks('mask.post', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'),
  'of a tool': masks('mask.tool', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }', 'tool'),
};
const CODES = [...Buffer.from('to TK-123 now')];
const SECRET = [...Buffer.from('TK-123')].join(', ');
const SPACES = ['', ' ', '\n', '  ', '\t'];
const WRITTEN: Readonly<Record<string, string>> = {
  'in a list': `{"file":{"type":"Buffer","data":[${CODES.join(',')}]},"n":5}`,
  'in an object': JSON.stringify({ file: { ...CODES, a: 1 } }),
  'with different spaces': `{"file":["a",${CODES.map((code, at) => code + SPACES[at % SPACES.length]!).join(',')},"b"]}`,
};
const cuts = fc.array(fc.nat(), { maxLength: 8 });

describe.each(Object.entries(TOOL_PROVIDERS))('character codes in arguments of %s', (_what, provider) => {
  const { dialect } = provider;
  const textsIn = (stream: string): string =>
    assembleStream(dialect, stream)
      .call.segments.map(({ text }) => text)
      .join('\n');

  it.each(Object.keys(RULES).flatMap((rule) => Object.keys(WRITTEN).map((how) => [how, rule] as const)))(
    'are masked if they are written %s, by a rule %s',
    async (how, rule) => {
      const guarded = guardedPolicy(RULES[rule]!);
      await fc.assert(
        fc.asyncProperty(cuts, cuts, async (inArgs, inStream) => {
          const stream = toolEvents(provider, [cut(WRITTEN[how]!, inArgs)]).join('');
          expect(textsIn(stream)).toContain(SECRET);
          const { text, blocked } = await guard(guarded, dialect, cut(stream, inStream));
          expect(blocked).toBe(false);
          expect(textsIn(text)).toContain('116, 111, [TICKET]');
          expect(textsIn(text)).not.toContain(SECRET);
          expect(textsIn((await whole(guarded, dialect, stream)).text)).not.toContain(SECRET);
        }),
        { numRuns: 10 },
      );
    },
  );
});
