import fc from 'fast-check';
import type { DecodedCall, Dialect } from '../call/call.js';
import { evaluate } from '../decision/evaluate.js';
import type { RedactSpec } from '../decision/decision.js';
import { runScan } from '../detection/run-scan.js';
import type { LocatedFinding } from '../detection/scan.js';
import { buildFacts, outcomesForToolCall, type CallContext } from '../facts/build-facts.js';
import { planRedaction } from '../redaction/plan-redaction.js';
import { planAnswer } from './answer-plan.js';
import { answerCall, assembleStream } from './assemble-stream.js';
import { GuardedStream, StreamOrderError } from './guarded-stream.js';
import { chunk, frame, PROVIDERS } from './testdata/provider-streams.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { isMasked } from './tool-call-judge.js';

const NOW_MS = Date.parse('2026-01-01T00:00:00Z');
const CONTEXT: CallContext = {
  environment: 'production',
  declaredEnvironment: 'production',
  app: { id: 'a', name: 'app' },
  key: { id: 'k', name: 'key' },
};
const REQUEST: DecodedCall = answerCall('generic', [], []);
const LIMITS = { nowMs: () => 0, deadlineMs: 1_000 };
type Guarded = ReturnType<typeof guardedPolicy>;

interface Outcome {
  /** What left with each piece, and at the end. */
  readonly steps: readonly string[];
  readonly text: string;
  readonly blocked: boolean;
  readonly heldUnits: readonly number[];
}

async function guard(
  { policy, detectors }: Guarded,
  dialect: Dialect,
  pieces: readonly string[],
  tokens: ReadonlyMap<string, string> = new Map(),
): Promise<Outcome> {
  const plan = planAnswer(policy, detectors);
  const stream = new GuardedStream({
    dialect,
    policy,
    plan,
    detectors,
    facts: { context: CONTEXT, structures: [], budgets: [], request: REQUEST },
    requestOutcomes: [],
    nowMs: NOW_MS,
    tokens,
    scan: (segments) => runScan(detectors, segments, LIMITS),
  });
  const steps: string[] = [];
  const heldUnits: number[] = [];
  let blocked = false;
  for (const piece of [...pieces, undefined]) {
    const step = piece === undefined ? await stream.end() : await stream.push(piece);
    steps.push(step.text);
    heldUnits.push(step.heldUnits);
    blocked = step.blocked;
    if (blocked) break;
  }
  return { steps, text: steps.join(''), blocked, heldUnits };
}

/** The same answer judged when it is complete. */
async function whole(
  { policy, detectors }: Guarded,
  dialect: Dialect,
  text: string,
): Promise<{ text: string; blocked: boolean }> {
  const stream = assembleStream(dialect, text);
  const { segments, newToolCalls } = stream.call;
  const outcomes = await runScan(detectors, segments, LIMITS);
  const base = { context: CONTEXT, structures: [], budgets: [], request: REQUEST, call: stream.call };
  const judged = [
    {
      scope: undefined as readonly number[] | undefined,
      decision: await evaluate(policy, {
        stage: 'post',
        nowMs: NOW_MS,
        facts: buildFacts({ ...base, outcomes }),
        clientMonitor: false,
      }),
    },
  ];
  for (const toolCall of newToolCalls) {
    const facts = buildFacts({ ...base, toolCall, outcomes: outcomesForToolCall(toolCall, outcomes, []) });
    const decision = await evaluate(policy, { stage: 'tool', nowMs: NOW_MS, facts, clientMonitor: false });
    judged.push({ scope: toolCall.segments, decision });
  }
  const findings = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
  const wanted = (finding: LocatedFinding): boolean =>
    judged.some(
      ({ scope, decision }) => (scope?.includes(finding.segment) ?? true) && isMasked(finding, decision.redact),
    );
  const specs: RedactSpec[] = judged.flatMap(({ decision }) => [...decision.redact]);
  const { edits } = planRedaction({ specs, findings: findings.filter(wanted), segments });
  return { text: stream.edited(edits), blocked: judged.some(({ decision }) => decision.action === 'block') };
}

/** What a client reads: the texts that it puts together, in the order of their places. */
function texts(dialect: Dialect, text: string): string[] {
  return assembleStream(dialect, text)
    .call.segments.filter(({ key }) => key !== undefined)
    .map(({ path, text: value }) => `${path}: ${value}`)
    .sort();
}

function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set([0, ...places.map((place) => place % (text.length + 1)), text.length])].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

const PARTS = [
  'TK-123', 'TK-', 'K', '45', '6', 'ab@cd', '@', 'a', 'pin ', '1234', ' ', 'never', ' say', '. ', '"', '\\', '\n', 'é', '😀',
  '\ud83d', '中', 'The ', 'TK-9999 ',
]; // prettier-ignore
const piecesOfText = fc
  .tuple(fc.array(fc.constantFrom(...PARTS), { maxLength: 16 }), fc.array(fc.nat(), { maxLength: 12 }))
  .map(([parts, places]) => cut(parts.join(''), places));
const cuts = fc.array(fc.nat(), { maxLength: 20 });

const MASKING = guardedPolicy(
  masks('mask.all', ['TICKET', 'MAIL', 'PIN'], '{ marks.types: { any_of: [TICKET, MAIL, PIN] } }'),
);
const POLICIES: Record<string, Guarded> = {
  'that masks': MASKING,
  'that masks one thing because of another': guardedPolicy(
    masks('mask.mail', ['MAIL'], '{ all: [ { marks.types: { any_of: [TICKET] } }, { marks.count: { gte: 2 } } ] }'),
  ),
  'that masks once there are several': guardedPolicy(
    masks('mask.many', ['TICKET', 'MAIL'], '{ marks.counts.TICKET: { gte: 2 } }'),
  ),
  'that masks in tool calls': guardedPolicy(masks('mask.tool', ['TICKET'], '{ marks.count: { gt: 0 } }', 'tool')),
  'whose rule cannot apply': guardedPolicy(
    masks('mask.never', ['TICKET'], '{ all: [ { app.name: other }, { marks.types: { any_of: [TICKET] } } ] }'),
  ),
};

describe.each(Object.entries(POLICIES))('a guarded stream under a policy %s', (_name, guarded) => {
  it.each(Object.entries(PROVIDERS))(
    'lets the same texts leave as the whole answer, masked: %s',
    async (_what, provider) => {
      await fc.assert(
        fc.asyncProperty(piecesOfText, cuts, async (pieces, places) => {
          const text = provider.frames(pieces);
          const expected = await whole(guarded, provider.dialect, text);
          const { text: left, blocked } = await guard(guarded, provider.dialect, cut(text, places));
          expect(blocked).toBe(false);
          expect(texts(provider.dialect, left)).toEqual(texts(provider.dialect, expected.text));
        }),
        { numRuns: 150 },
      );
    },
  );

  it('does so for arguments of tool calls, and for calls beside texts', async () => {
    await fc.assert(
      fc.asyncProperty(piecesOfText, piecesOfText, cuts, async (pieces, others, places) => {
        const args = JSON.stringify({ query: pieces.join(''), list: [others.join('')] });
        const text = toolStream(cut(args, places), others);
        const expected = await whole(guarded, 'openai.chat', text);
        const { text: left } = await guard(guarded, 'openai.chat', cut(text, places));
        expect(texts('openai.chat', left)).toEqual(texts('openai.chat', expected.text));
      }),
      { numRuns: 150 },
    );
  });

  it('does so for tool use in messages', async () => {
    await fc.assert(
      fc.asyncProperty(piecesOfText, piecesOfText, cuts, async (pieces, others, places) => {
        const args = JSON.stringify({ query: pieces.join('') });
        const text = toolUse(cut(args, places), others);
        const expected = await whole(guarded, 'anthropic.messages', text);
        const { text: left } = await guard(guarded, 'anthropic.messages', cut(text, places));
        expect(texts('anthropic.messages', left)).toEqual(texts('anthropic.messages', expected.text));
      }),
      { numRuns: 150 },
    );
  });
});

function toolStream(args: readonly string[], contents: readonly string[]): string {
  const call = (more: object): string => chunk([{ index: 0, delta: { tool_calls: [{ index: 0, ...more }] } }]);
  return (
    contents.map((content) => chunk([{ index: 0, delta: { content } }])).join('') +
    call({ id: 'call_1', type: 'function', function: { name: 'search', arguments: '' } }) +
    args.map((piece) => call({ function: { arguments: piece } })).join('') +
    chunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' }]) +
    'data: [DONE]\n\n'
  );
}

function toolUse(args: readonly string[], contents: readonly string[]): string {
  const event = (type: string, more: object): string => frame({ type, ...more }, type);
  const block = { type: 'tool_use', id: 'toolu_1', name: 'search', input: {} };
  return (
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
    contents.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })).join('') +
    event('content_block_stop', { index: 0 }) +
    event('content_block_start', { index: 1, content_block: block }) +
    args
      .map((partial_json) =>
        event('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json } }),
      )
      .join('') +
    event('content_block_stop', { index: 1 }) +
    event('message_stop', {})
  );
}

describe('a guarded stream', () => {
  const content = (text: string): string => chunk([{ index: 0, delta: { content: text } }]);
  const left = ({ steps }: Outcome): string[] =>
    steps.map((step) =>
      assembleStream('openai.chat', step)
        .call.segments.map(({ text }) => text)
        .join('|'),
    );

  it('passes on every byte as it came when nothing is masked', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.values(PROVIDERS)),
        fc.array(fc.string()),
        cuts,
        async (provider, pieces, places) => {
          const text = provider.frames(pieces.map((piece) => piece.replace(/[@\d]|TK/g, '')));
          const { text: passed } = await guard(
            POLICIES['whose rule cannot apply']!,
            provider.dialect,
            cut(text, places),
          );
          expect(passed).toBe(text);
        },
      ),
    );
  });

  it('lets text leave at once that no rule can touch', async () => {
    const outcome = await guard(MASKING, 'openai.chat', [content('Hello. '), content('It is. ')]);
    expect(left(outcome)).toEqual(['Hello. ', 'It is. ', '']);
  });

  it('holds an event only while its text could be the beginning of something', async () => {
    const outcome = await guard(MASKING, 'openai.chat', [content('See TK'), content('-123'), content(' soon. ')]);
    expect(left(outcome)).toEqual(['', '', 'See [TICKET] soon. ', '']);
    expect(outcome.text).not.toContain('TK');
  });

  it('refuses in the middle, and nothing of what is refused has left', async () => {
    const blocking = guardedPolicy(`  - id: stop
    stage: post
    when: { marks.types: { any_of: [STOP] } }
    then: { action: block }
    on_unknown: match
`);
    const outcome = await guard(blocking, 'openai.chat', [
      content('All right: '),
      content('ne'),
      content('ver sa'),
      content('y it'),
      content('more'),
    ]);
    expect(outcome.blocked).toBe(true);
    expect(left(outcome)).toEqual(['All right: ', '', '', '']);
  });

  it('judges a tool call before its last byte leaves', async () => {
    const blocking = guardedPolicy(`  - id: stop
    stage: tool
    when: { marks.types: { any_of: [TICKET] } }
    then: { action: block }
    on_unknown: match
`);
    const text = toolStream(['{"id":', '"TK-', '123"', '}'], ['Let me see. ']);
    const outcome = await guard(blocking, 'openai.chat', text.match(/[^]+?\n\n/g) ?? []);
    expect(outcome.blocked).toBe(true);
    expect(outcome.text).toContain('Let me see. ');
    expect(outcome.text).not.toContain('search');
  });

  it('does not wait for rules that cannot apply to this call', async () => {
    const outcome = await guard(POLICIES['whose rule cannot apply']!, 'openai.chat', [
      content('TK-123 '),
      content('x '),
    ]);
    expect(left(outcome)).toEqual(['TK-123 ', 'x ', '']);
  });

  it('waits with a finding that a rule may still ask about', async () => {
    const outcome = await guard(POLICIES['that masks once there are several']!, 'openai.chat', [
      content('A TK-123 '),
      content('and TK-456 '),
      content('end. '),
    ]);
    expect(left(outcome)).toEqual(['', 'A [TICKET] and [TICKET] ', 'end. ', '']);
  });

  it('puts values back in place of their tokens, also when they come in pieces', async () => {
    const tokens = new Map([['[MAIL_bcd]', 'joe@acme']]);
    const outcome = await guard(
      MASKING,
      'openai.chat',
      [content('To [MA'), content('IL_bc'), content('d], and [MAIL_x] ')],
      tokens,
    );
    expect(
      assembleStream('openai.chat', outcome.text)
        .call.segments.map(({ text }) => text)
        .join(''),
    ).toBe('To joe@acme, and [MAIL_x] ');
  });

  it('puts the texts of choices together as clients do, whatever events are called and repeat', async () => {
    const delta = (text: string) => [{ index: 0, delta: { content: text } }];
    const named = ['TK', '-1', '23. '].map((text, at) => `event: e${at}\n${chunk(delta(text))}`);
    const typed = ['TK', '-1', '23. '].map((text, at) => frame({ type: `t${at}`, choices: delta(text) }));
    const repeating = ['TK-123', ' is', ' it. '].map((text, at, all) =>
      chunk([{ ...delta(text)[0]!, message: { content: all.slice(0, at + 1).join('') } }]),
    );
    for (const pieces of [named, typed, repeating]) {
      const outcome = await guard(MASKING, 'openai.chat', pieces);
      expect(left(outcome).join('')).toMatch(/^\[TICKET\]/);
      expect(outcome.text).not.toContain('TK');
    }
  });

  it('lets what Azure says of a text come after its end', async () => {
    const content_filter_results = { hate: { filtered: false, severity: 'safe' } };
    const pieces = [
      chunk([{ index: 0, delta: { content: 'a' }, content_filter_results }]),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
      chunk([{ index: 0, finish_reason: null, content_filter_results, content_filter_offsets: { end_offset: 1 } }]),
    ];
    expect((await guard(MASKING, 'openai.chat', pieces)).text).toBe(pieces.join(''));
  });

  it('says so when a text goes on that was said to be complete', async () => {
    const finish = chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]);
    await expect(guard(MASKING, 'openai.chat', [content('a'), finish, content('b')])).rejects.toThrow(StreamOrderError);
  });

  it('is a plan for policies whose rules only grow, and for no others', () => {
    const planOf = (when: string): string => {
      const { policy, detectors } = guardedPolicy(masks('t', ['TICKET'], when));
      return planAnswer(policy, detectors).mode;
    };
    expect(planOf('{ marks.count: { gte: 1 } }')).toBe('guard');
    expect(planOf('{ marks.count: { lt: 1 } }')).toBe('hold');
    expect(planOf('{ not: { marks.types: { any_of: [MAIL] } } }')).toBe('hold');
    expect(planOf('{ all: [ { app.name: x }, { marks.score: { gt: 0.1 } } ] }')).toBe('guard');
  });
});
