import fc from 'fast-check';
import { planAnswer } from './answer-plan.js';
import { cut, guard, texts, whole, type Guarded, type Outcome } from './testdata/guarding.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { frame } from './testdata/provider-streams.js';
import { TOOL_PROVIDERS, toolEvents, type Pieces, type ToolProvider } from './testdata/tool-streams.js';

const CHAT = TOOL_PROVIDERS['calls of one choice of a chat']!;
const ALL = ['TICKET', 'MAIL', 'PIN'];
const FOUND = '{ marks.types: { any_of: [TICKET, MAIL, PIN] } }';
const MASKING = guardedPolicy(masks('mask.all', ALL, FOUND));
const NUMBERING = guardedPolicy(masks('mask.all', ALL, FOUND).replace('[{type}]', '[{type}_{n}]'));
const POLICIES: Record<string, Guarded> = {
  'that masks answers': MASKING,
  'that masks once there are several findings': guardedPolicy(
    masks('mask.many', ['TICKET', 'MAIL'], '{ marks.counts.TICKET: { gte: 2 } }'),
  ),
  'that masks one kind because another kind was found': guardedPolicy(
    masks('mask.mail', ['MAIL'], '{ all: [ { marks.types: { any_of: [TICKET] } }, { marks.count: { gte: 2 } } ] }'),
  ),
  'that masks tool calls': guardedPolicy(masks('mask.tool', ['TICKET', 'PIN'], '{ marks.count: { gt: 0 } }', 'tool')),
  'that masks some kinds in tool calls and other kinds in answers': guardedPolicy(
    masks('mask.tool', ['PIN'], '{ marks.count: { gt: 1 } }', 'tool') + masks('mask.post', ['MAIL', 'TICKET'], FOUND),
  ),
  'that numbers what it masks': NUMBERING,
  'that masks with characters that JSON escapes': guardedPolicy(
    masks('mask.all', ALL, FOUND).replace("'[{type}]'", `'"{type}"'`),
  ),
};
const TOKENS = new Map([
  ['[MAIL_bcd]', 'joe@acme'],
  ['[NAME_fgh]', 'Ann "O\\Hara"\n'],
  ['[NAME_fghj]', 'Bo'],
]);

const PARTS = [
  'TK-123', 'TK-', 'K', '45', '6', 'ab@cd', '@', 'a', 'pin ', '1234', ' ', '. ', '"', '\\', '\n', 'é', '😀', '\ud83d', '中', 'The ',
  'TK-9999 ', '[MAIL_bcd]', '[MAIL_', '[NAME_fgh', '[NAME_fghj]', ']', '{"', '{', '[',
]; // prettier-ignore
const leafText = fc.array(fc.constantFrom(...PARTS), { maxLength: 6 }).map((parts) => parts.join(''));
const { value: jsonValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { weight: 5, arbitrary: leafText },
    fc.constantFrom(1234, 12345678, 41, -0.5, true, false, null, {}, [], 1e21),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(leafText, fc.constantFrom('pin', 'q', '__proto__')), tie('value'), { maxKeys: 3 }),
  ),
}));
/** JSON as models write it: with white space and unnecessary escapes. */
const jsonText = fc
  .tuple(
    fc.oneof(fc.dictionary(fc.constantFrom('pin', 'q', 'text', 'TK-123'), jsonValue), fc.array(jsonValue)),
    fc.constantFrom(undefined, 1),
    fc.nat(7),
    fc.constantFrom('', '\n', ' '),
  )
  .map(([value, indent, every, end]) => {
    const text = JSON.stringify(value, undefined, indent);
    // Some models and clients write and read such numbers.
    return (every < 3 ? text : escapeEvery(text, every)).replaceAll('-0.5', 'NaN') + end;
  });
function escapeEvery(text: string, every: number): string {
  let at = 0;
  return text.replace(/\\.|[A-Za-z@\-[\]_0-9 {}:,"]|[^]/gu, (char) =>
    /^[A-Za-z@_]$/.test(char) && isInString(text, char) && at++ % every === 0
      ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
      : char,
  );
}
/** Whether a letter of a JSON text is certainly in a string: outside of strings, letters occur only in literals and exponents. */
function isInString(text: string, char: string): boolean {
  return !/true|false|null|e\+/.test(text) || char === '@' || char === '_';
}
/** Arguments of a call within the call, as JSON in a string. */
const within = fc
  .tuple(jsonText, fc.constantFrom('arguments', 'tool_uses', 'Input'))
  .map(([text, key]) => JSON.stringify({ tool_name: 'q', pin: 'TK-123', [key]: text, more: 'TK-45678' }));
/** Includes JSON that is cut off, and text that is not JSON. */
const args = fc.oneof(
  { weight: 6, arbitrary: jsonText },
  { weight: 2, arbitrary: within },
  fc.tuple(jsonText, fc.nat(40)).map(([text, length]) => text.slice(0, length)),
  leafText,
  fc.tuple(jsonText, leafText).map(([text, more]) => text + more),
);
const pieces = (of: fc.Arbitrary<string>): fc.Arbitrary<Pieces> =>
  fc.tuple(of, fc.array(fc.nat(), { maxLength: 12 })).map(([text, places]) => cut(text, places));
const cuts = fc.array(fc.nat(), { maxLength: 12 });
const order = fc.array(fc.nat(5), { maxLength: 30 });

/** Checks that the guarded stream contains the same texts as the whole answer, judged when complete. Returns the outcome of the stream. */
async function compare(
  guarded: Guarded,
  provider: ToolProvider,
  stream: string,
  parts: readonly string[],
  tokens: ReadonlyMap<string, string> = new Map(),
): Promise<Outcome> {
  const expected = await whole(guarded, provider.dialect, stream, tokens);
  const outcome = await guard(guarded, provider.dialect, parts, tokens);
  expect(outcome.blocked).toBe(false);
  expect(texts(provider.dialect, outcome.text)).toEqual(texts(provider.dialect, expected.text));
  return outcome;
}

describe.each(Object.entries(TOOL_PROVIDERS))('streamed tool calls: %s', (_what, provider) => {
  it.each(Object.entries(POLICIES))(
    'have the same masked arguments as in the complete answer, under a policy %s',
    async (_name, guarded) => {
      await fc.assert(
        fc.asyncProperty(pieces(args), cuts, async (call, places) => {
          const stream = toolEvents(provider, [call]).join('');
          await compare(guarded, provider, stream, cut(stream, places));
        }),
        { numRuns: 40 },
      );
    },
  );

  it('have the same arguments as in the complete answer if each event arrives separately, even with restored tokens', async () => {
    await fc.assert(
      fc.asyncProperty(pieces(args), async (call) => {
        const events = toolEvents(provider, [call]);
        await compare(MASKING, provider, events.join(''), events, TOKENS);
      }),
      { numRuns: 80 },
    );
  });

  it('have the same arguments as in the complete answer whatever the order of the pieces of several calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pieces(jsonText), { minLength: 2, maxLength: 3 }), order, async (calls, turns) => {
        const events = toolEvents(provider, calls, turns);
        await compare(MASKING, provider, events.join(''), events, TOKENS);
      }),
      { numRuns: 80 },
    );
  });

  it('are not forwarded completely before they are judged, however they are cut', async () => {
    const blocking = guardedPolicy(blocks('{ marks.types: { any_of: [STOP] } }'));
    await fc.assert(
      fc.asyncProperty(pieces(jsonText), pieces(jsonText), order, async (call, other, turns) => {
        const refused = cut(JSON.stringify({ q: call.join(''), z: 'never say' }), [3, 9, call.length + 11]);
        const outcome = await guard(blocking, provider.dialect, toolEvents(provider, [other, refused], turns));
        expect(outcome.blocked).toBe(true);
        const own = argumentsOf(provider, outcome.text, 1);
        expect(() => JSON.parse(own) as unknown).toThrow(SyntaxError);
      }),
      { numRuns: 40 },
    );
  });

  it('are forwarded while they arrive, except for their end', async () => {
    const call = ['{"city": "', 'Paris, ', '", "days": [1, ', '2, 3], ', '"note": "a, ', 'b. "', '}'];
    const events = toolEvents(provider, [call]);
    const { steps } = await guard(MASKING, provider.dialect, events);
    const so = call.map((_, at) => argumentsOf(provider, steps.slice(0, at + 2).join(''), 0));
    expect(so).toEqual(call.map((_, at) => call.slice(0, Math.min(at + 1, call.length - 1)).join('')));
  });
});

/** A rule that refuses tool calls. */
function blocks(when: string): string {
  return `  - id: stop
    stage: tool
    when: ${when}
    then: { action: block }
    on_unknown: match
`;
}

/** The arguments that a client assembles from the forwarded events. */
function argumentsOf(provider: ToolProvider, left: string, call: number): string {
  let text = '';
  for (const [, data] of left.matchAll(/^data: (\{.*\})$/gm)) {
    const event = JSON.parse(data!) as {
      readonly choices?: readonly { index: number; delta: { tool_calls?: readonly ToolDelta[]; function_call?: Fn } }[];
      readonly index?: number;
      readonly output_index?: number;
      readonly delta?: string | { readonly partial_json?: string };
    };
    for (const { index, delta } of event.choices ?? []) {
      if (delta.function_call !== undefined && index === call) text += delta.function_call.arguments;
      for (const each of delta.tool_calls ?? []) {
        if ((index === 0 ? each.index : index) === call) text += each.function.arguments;
      }
    }
    if ((event.index ?? event.output_index) !== call) continue;
    text += typeof event.delta === 'string' ? event.delta : (event.delta?.partial_json ?? '');
  }
  return text;
}
interface Fn {
  readonly arguments: string;
}
interface ToolDelta {
  readonly index: number;
  readonly function: Fn;
}

describe('a streamed tool call', () => {
  const call = (...parts: string[]): string[] => toolEvents(CHAT, [parts]);
  const left = ({ steps }: Outcome, until: number): string => argumentsOf(CHAT, steps.slice(0, until).join(''), 0);

  it.each([
    '{"a":"TK-123"}',
    '{"TK-123":1}',
    '{"a":"\\u0054K-1\\u00323 [MAIL_bcd]"}',
    '["\\ud83d\\ude00@ab",12345678]',
    '{"a":"x\\"y@cd\\\\"}\n',
    '{"a":"[NAME_fgh]j]"}',
    '{"a":{"pin":"1234"}',
    '{"pin":["a. ","1234"]}',
    '["ab\\u0040cd. ab@cd"]]TK-123',
    '{"TK-123":"\\u0054K-123 x\\u0040cd x@cd"}',
  ])('has the same arguments however they are split into three pieces: %s', async (text) => {
    for (let first = 0; first <= text.length; first++) {
      for (let second = first; second <= text.length; second++) {
        const call = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        const events = toolEvents(CHAT, [call]);
        await compare(NUMBERING, CHAT, events.join(''), events, TOKENS);
      }
    }
  });

  it('is masked leaf by leaf while it arrives', async () => {
    const outcome = await guard(
      MASKING,
      CHAT.dialect,
      call('{"to":"ab@cd. ",', '"re":"TK-', '123, ', 'soon. ', '"', '}'),
    );
    expect(left(outcome, 2)).toBe('{"to":"[MAIL]. ",');
    expect(left(outcome, 3)).toBe('{"to":"[MAIL]. ",');
    expect(left(outcome, 4)).toBe('{"to":"[MAIL]. ","re":"[TICKET], ');
    expect(left(outcome, 5)).toBe('{"to":"[MAIL]. ","re":"[TICKET], soon. ');
    expect(outcome.text).not.toMatch(/TK|123/);
  });

  it('continues after a match that is written with escapes', async () => {
    const outcome = await guard(MASKING, CHAT.dialect, call('{"a":"TK-1', '\\u0032\\u0033. ', 'b. ', '"}'));
    expect(left(outcome, 3)).toBe('{"a":"[TICKET]. ');
    expect(left(outcome, 4)).toBe('{"a":"[TICKET]. b. ');
  });

  it('waits from the first position at which its strings and its whole text lead to different findings', async () => {
    const outcome = await guard(
      MASKING,
      CHAT.dialect,
      call('{"a":"b. ', 'c. ", ', '"pin": [". ",', '"1234"', ', "d. ', '"]}'),
    );
    expect(left(outcome, 4)).toBe('{"a":"b. c. ", "pin": [". ",');
    expect(left(outcome, 6)).toBe('{"a":"b. c. ", "pin": [". ",');
    expect(argumentsOf(CHAT, outcome.text, 0)).toBe('{"a":"b. c. ", "pin": [". ","[PIN]", "d. "]}');
  });

  it('has values restored while it arrives', async () => {
    const events = call('{"to":"[NA', 'ME_fgh], ', 'x. ', '"}');
    const outcome = await guard(MASKING, CHAT.dialect, events, TOKENS);
    expect(left(outcome, 2)).toBe('');
    expect(JSON.parse(`${left(outcome, 3)}"}`)).toEqual({ to: 'Ann "O\\Hara"\n, ' });
    expect(JSON.parse(argumentsOf(CHAT, outcome.text, 0))).toEqual({ to: 'Ann "O\\Hara"\n, x. ' });
  });

  it('is forwarded in full once another call of the same choice has begun', async () => {
    const events = toolEvents(
      CHAT,
      [
        ['{"a":"b. ', '"}'],
        ['{"c":', '"d. ', '"}'],
      ],
      [0, 0, 0, 1, 1, 1],
    );
    const { steps } = await guard(MASKING, CHAT.dialect, events);
    const so = (until: number, index: number): string => argumentsOf(CHAT, steps.slice(0, until).join(''), index);
    expect(so(3, 0)).toBe('{"a":"b. ');
    expect(so(4, 0)).toBe('{"a":"b. "}');
    expect(so(6, 1)).toBe('{"c":"d. ');
  });

  it('is refused before any of it is forwarded when its name is sufficient reason', async () => {
    for (const when of ['{ app.name: app }', '{ all: [ { app.name: app }, { not: { app.name: other } } ] }']) {
      const outcome = await guard(guardedPolicy(blocks(when)), CHAT.dialect, call('{"a":', '1', '}'));
      expect(outcome.blocked).toBe(true);
      expect(outcome.text).toBe('');
    }
  });

  it.each<[string, (input: string) => string[]]>([
    [
      'a part of the AI SDK',
      (input) => [
        frame({ type: 'tool-input-start', id: 'c', toolName: 'run_shell' }),
        ...[...input].map((delta) => frame({ type: 'tool-input-delta', id: 'c', delta })),
        frame({ type: 'tool-input-end', id: 'c' }),
        frame({ type: 'tool-call', toolCallId: 'c', toolName: 'run_shell', input }),
      ],
    ],
    [
      'in a message of the AI SDK',
      (input) => [
        frame({ type: 'tool-input-start', toolCallId: 'c', toolName: 'run_shell' }),
        ...[...input].map((inputTextDelta) => frame({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta })),
        frame({
          type: 'tool-input-available',
          toolCallId: 'c',
          toolName: 'run_shell',
          input: { command: 'never say' },
        }),
      ],
    ],
  ])('is refused before any of it is forwarded if it is %s', async (_what, eventsOf) => {
    const text = frame({ type: 'text-delta', id: 't', delta: 'Well. ' });
    const events = [text, ...eventsOf('{"command":"never say"}')];
    const outcome = await guard(guardedPolicy(blocks('{ marks.types: { any_of: [STOP] } }')), 'generic', events);
    expect(outcome.blocked).toBe(true);
    expect(outcome.text).not.toContain('run_shell');
    expect(outcome.text).not.toContain('command');
  });

  it.each<[string, object[]]>([
    [
      'a part of the AI SDK',
      [
        { type: 'tool-input-start', id: 'c', toolName: 'search' },
        { type: 'tool-input-delta', id: 'c', delta: '{"q":"x"}' },
        { type: 'tool-input-end', id: 'c' },
      ],
    ],
    [
      'in a message of the AI SDK',
      [
        { type: 'tool-input-start', toolCallId: 'c', toolName: 'search' },
        { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"q":"x"}' },
        { type: 'tool-input-available', toolCallId: 'c', toolName: 'search', input: { q: 'x' } },
      ],
    ],
  ])('is forwarded when its end is announced if it is %s', async (_what, parts) => {
    const events = parts.map((event) => frame(event));
    const { steps } = await guard(guardedPolicy(blocks('{ marks.types: { any_of: [STOP] } }')), 'generic', events);
    expect(steps.slice(0, events.length).join('')).toBe(events.join(''));
  });

  const planOf = (rules: string): string => {
    const { policy, detectors } = guardedPolicy(rules);
    return planAnswer(policy, detectors).tools.mode;
  };

  it.each([
    ['a flow', '{ flow: { from: { tool_call: { name: read_secrets } }, to: { tool_call: { name: pay } } } }'],
    ['recent calls', '{ recent.tool_calls_1m: { gt: 10 } }'],
    ['recent calls of the same tool', '{ recent.same_tool_calls_1h: { gte: 2 } }'],
  ])('waits for the last call of its answer under a rule on %s', async (_about, when) => {
    const rule = blocks(when).replace('on_unknown: match', 'on_unknown: no_match');
    expect(planOf(rule)).toBe('together');
    const events = toolEvents(CHAT, [
      ['{"a":', '1}'],
      ['{"b":', '2}'],
    ]);
    const { steps, text, blocked } = await guard(guardedPolicy(rule), CHAT.dialect, events);
    const before = steps.slice(0, events.length - 1).join('');
    const both = (left: string): string[] => [0, 1].map((index) => argumentsOf(CHAT, left, index));
    expect([blocked, both(before), both(text)]).toEqual([false, ['', ''], ['{"a":1}', '{"b":2}']]);
  });

  it('is planned as a stream under rules that mask or block findings', () => {
    expect(planOf(masks('mask', ['TICKET'], '{ marks.count: { gt: 0 } }', 'tool'))).toBe('stream');
    expect(planOf(blocks('{ marks.count: { gt: 0 } }'))).toBe('stream');
  });
});
