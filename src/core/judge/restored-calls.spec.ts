import { RestoredCalls } from './restored-calls.js';
import { GrowingAnswer, type ExpectedAnswer } from './growing-answer.js';
import { readCall } from './read-call.js';
import type { CallToJudge } from './judgement.js';
import type { BoundStructure } from '../detection/bind-structures.js';
import { SILENT_LEDGER } from '../detection/ledger.js';
import type { DecodedCall, JsonValue, ToolCall } from '../model/call.js';

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
    const answer = calls.in(answerOf(SENT));
    expect(answer.newToolCalls).toEqual([{ ...SENT, args: RESTORED }]);
    expect(calls.of(SENT, answer.segments)).toBe(answer.newToolCalls[0]);
  });

  it('keep arguments that are signed, and all arguments if nothing is restored', () => {
    const signed = { ...SENT, segments: [0] };
    expect(new RestoredCalls(TOKENS).in(answerOf(signed)).newToolCalls[0]).toBe(signed);
    const answer = answerOf(SENT);
    expect(new RestoredCalls(new Map()).in(answer)).toBe(answer);
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
