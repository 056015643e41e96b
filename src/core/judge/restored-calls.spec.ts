import { RestoredCalls } from './restored-calls.js';
import { GrowingAnswer, type ExpectedAnswer } from './growing-answer.js';
import { readCall } from './read-call.js';
import type { CallToJudge } from './judgement.js';
import type { BoundStructure } from '../detection/bind-structures.js';
import { SILENT_LEDGER } from '../detection/ledger.js';
import { atOnce } from '../steps/steps.js';
import type { DecodedCall, JsonValue, Segment, ToolCall } from '../model/call.js';

const TOKENS = new Map([['[MAIL:4f1a]', 'ann@corp.example']]);
const SENT: ToolCall = {
  name: 'send_mail',
  args: { to: ['[MAIL:4f1a]'], '[MAIL:4f1a]': 1, raw: '{"cc":"\\u005bMAIL:4f1a]"}', note: 'to [MAIL:4f1b]' },
  path: 'calls[0]',
  segments: [],
};
const RESTORED: JsonValue = {
  to: ['ann@corp.example'],
  'ann@corp.example': 1,
  raw: '{"cc":"ann@corp.example"}',
  note: 'to [MAIL:4f1b]',
};
const answerOf = (...newToolCalls: ToolCall[]): DecodedCall => ({
  dialect: 'openai.chat',
  segments: [{ path: 'calls[0]', role: 'tool_call', text: 'x', ref: 0, signed: true }],
  newToolCalls,
  ...{ declaredTools: [], pastToolCalls: [], pastToolResults: [], stream: false },
});

/** A structure that notes the tool calls that it is given. */
function noting(seen: (JsonValue | undefined)[]): BoundStructure {
  const read: BoundStructure['read'] = (call, { toolCall }) => {
    if (toolCall !== undefined) seen.push(toolCall.args, call.newToolCalls.indexOf(toolCall));
    return {};
  };
  return { id: 'noting', reads: 'call', roots: [], read };
}
const POLICY = { rules: [], budgets: [], exceptions: [], lists: new Map(), detectors: [] };
const CONTEXT = { environment: 'production', declaredEnvironment: 'production', app: { id: 'a', name: 'a' }, key: { id: 'k', name: 'k' } } as const; // prettier-ignore

describe('the tool calls of an answer in which values are restored', () => {
  it('have the arguments that the client receives, and are the same objects in the answer', () => {
    const calls = new RestoredCalls(TOKENS);
    const answer = atOnce(calls.restoring(answerOf(SENT)));
    expect(answer.newToolCalls).toEqual([{ ...SENT, args: RESTORED }]);
    expect(calls.of(SENT, answer.segments)).toBe(answer.newToolCalls[0]);
  });

  it('keep arguments that are signed, and all arguments if nothing is restored', () => {
    const signed = { ...SENT, segments: [0] };
    expect(atOnce(new RestoredCalls(TOKENS).restoring(answerOf(signed))).newToolCalls[0]).toBe(signed);
    const answer = answerOf(SENT);
    expect(atOnce(new RestoredCalls(new Map()).restoring(answer))).toBe(answer);
  });

  it('have their free text restored, if their arguments are not JSON', () => {
    const calls = new RestoredCalls(TOKENS);
    const segments: Segment[] = [
      { path: 'calls[0].name', role: 'tool_call', text: 'send_mail', ref: 0, key: 'name' },
      { path: 'calls[0].input', role: 'tool_call', text: 'to [MAIL:4f1a]', ref: 1, key: 'input' },
    ];
    const custom = { ...SENT, args: undefined, segments: [0, 1] };
    const { newToolCalls } = atOnce(calls.restoring({ ...answerOf(custom), segments }));
    expect(newToolCalls).toEqual([{ ...custom, freeText: 'to ann@corp.example' }]);
    expect(calls.of(custom, segments)).toBe(newToolCalls[0]);
  });

  it('are restored once if they share their arguments or texts, as a call under several names does', () => {
    const named = (name: string): ToolCall => ({ ...SENT, name });
    const calls = new RestoredCalls(TOKENS);
    const { newToolCalls } = atOnce(calls.restoring(answerOf(named('a'), named('b'))));
    expect(newToolCalls.map(({ name, args }) => [name, args])).toEqual([
      ['a', RESTORED],
      ['b', RESTORED],
    ]);
    expect(newToolCalls[0]?.args).toBe(newToolCalls[1]?.args);

    const segments: Segment[] = [{ path: 'calls[0].input', role: 'tool_call', text: '[MAIL:4f1a]', ref: 0 }];
    const own = [0];
    const free = ['a', 'b'].map((name): ToolCall => ({ ...SENT, name, args: undefined, segments: own }));
    const answer = atOnce(new RestoredCalls(TOKENS).restoring({ ...answerOf(...free), segments }));
    expect(answer.newToolCalls.map(({ name, freeText }) => [name, freeText])).toEqual([
      ['a', 'ann@corp.example'],
      ['b', 'ann@corp.example'],
    ]);
  });

  it('are restored in steps, each of which takes little, and collect the beginnings of the tokens once', () => {
    let collected = 0;
    const tokens = new (class extends Map<string, string> {
      override keys(): MapIterator<string> {
        collected++;
        return super.keys();
      }
    })(Array.from({ length: 50 }, (_, at) => [`[MAIL_${at}]`, `value ${at}`]));
    const args = [...Array.from({ length: 2_000 }, () => '["[MAIL_7]"]'), `${'x'.repeat(50_000)}[MAIL_7]`];
    const steps = new RestoredCalls(tokens).restoring(answerOf({ ...SENT, args }));
    let stops = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) stops++;
    expect(step.value.newToolCalls[0]?.args).toEqual([
      ...Array.from({ length: 2_000 }, () => '["value 7"]'),
      `${'x'.repeat(50_000)}value 7`,
    ]);
    expect(stops).toBeGreaterThan(10);
    expect(collected).toBe(1);
  });

  it('are judged by these arguments, in a complete answer and in a stream', async () => {
    const seen: (JsonValue | undefined)[] = [];
    const structures = [noting(seen)];
    const call = answerOf(SENT);
    const input = {
      ...{ policy: { policy: POLICY, detectors: [], structures }, context: CONTEXT, call, kind: 'answer' },
      ...{ enforceable: true, monitorRequested: false, request: { call, outcomes: [], restorable: TOKENS } },
    } as unknown as CallToJudge;
    await readCall(input, { nowMs: 0, scan: () => Promise.resolve([]), hash: () => Promise.reject(new Error()) });
    const growing = new GrowingAnswer({
      ...{ policy: POLICY, requestOutcomes: [], nowMs: 0, tokens: TOKENS },
      facts: { context: CONTEXT, structures, ledger: SILENT_LEDGER, request: call },
    } as unknown as ExpectedAnswer);
    await growing.judgeToolCall(SENT, call, []).catch(() => undefined);
    expect(seen).toEqual([RESTORED, 0, RESTORED, 0]);
  });
});
