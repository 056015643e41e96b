import {
  judgeCall,
  scanCall,
  scanWithin,
  type CallJudgement,
  type JudgeHost,
  type JudgingPolicy,
} from '../../core/judge/index.js';
import { NOTHING_USED } from '../../core/detection/ledger.js';
import { parseJson } from '../../core/json/json-document.js';
import type { DecodedCall, JsonValue } from '../../core/model/call.js';
import { testHash } from '../policy-test/test-hash.js';
import { decodeAnswer, decodeRequest } from '../../core/providers/decode-call.js';

/** Consecutive tool calls of an agent, labelled as a whole. */
export interface ToolSequence {
  readonly id: string | number;
  /** The user's message; absent if it is not known. */
  readonly user?: string;
  readonly calls: readonly SequenceCall[];
  /** Whether the agent followed an instruction that did not come from the user. Absent if it is not labelled. */
  readonly positive?: boolean;
}

export interface SequenceCall {
  readonly name: string;
  /** Absent if the arguments are not known. */
  readonly args?: JsonValue;
  /** The result of the call; absent if it is not known. */
  readonly result?: string;
  /** Whether a detection counts: false for the harmless calls of a hijacked sequence. */
  readonly counts: boolean;
}

/** The policy by which calls are judged. */
export type ToolJudge = JudgingPolicy;

const HOST: JudgeHost = {
  nowMs: 0,
  scan: scanWithin({ nowMs: () => 0, deadlineMs: Number.POSITIVE_INFINITY }),
  hash: () => Promise.resolve(testHash),
};

/**
 * Judges each call with `counts` like the proxy: as a new tool call in the answer to a request that contains the user's message and the
 * earlier calls. Budgets are treated as unused.
 *
 * @returns the ids of the rules of stage `tool` that fired, enforced or not; empty if none fired
 */
export async function judgeToolSequence(judge: ToolJudge, sequence: ToolSequence): Promise<string[]> {
  const rules = new Set<string>();
  for (const [index, call] of sequence.calls.entries()) {
    if (!call.counts) continue;
    const { fired } = await judgeNewCall(judge, conversationBefore(sequence, index), answerWith(call));
    for (const { rule } of fired) rules.add(rule);
  }
  return [...rules].sort();
}

async function judgeNewCall(policy: JudgingPolicy, request: DecodedCall, answer: DecodedCall): Promise<CallJudgement> {
  const { environment } = policy.policy;
  const before = { policy, call: request, kind: 'request' as const };
  return judgeCall(
    {
      policy,
      context: {
        environment,
        declaredEnvironment: environment,
        app: { id: '', name: '' },
        key: { id: '', name: '' },
      },
      ledger: NOTHING_USED,
      call: answer,
      kind: 'answer',
      onlyToolCall: { index: 0 },
      request: { call: request, outcomes: await scanCall(before, HOST) },
      enforceable: true,
      monitorRequested: false,
    },
    HOST,
  );
}

function conversationBefore({ user, calls }: ToolSequence, index: number): DecodedCall {
  const messages: JsonValue[] = user === undefined ? [] : [{ role: 'user', content: user }];
  calls.slice(0, index).forEach((call, position) => {
    const id = `call_${position}`;
    messages.push({ role: 'assistant', content: null, tool_calls: [toolCallOf(call, id)] });
    if (call.result !== undefined) messages.push({ role: 'tool', tool_call_id: id, content: call.result });
  });
  return decodeRequest('openai.chat', parseJson(JSON.stringify({ messages })));
}

function answerWith(call: SequenceCall): DecodedCall {
  const message = { role: 'assistant', content: null, tool_calls: [toolCallOf(call, 'call_new')] };
  return decodeAnswer('openai.chat', parseJson(JSON.stringify({ choices: [{ index: 0, message }] })));
}

/** Unknown arguments become an empty object, as for a tool without parameters. */
function toolCallOf({ name, args }: SequenceCall, id: string): JsonValue {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args ?? {}) } };
}
