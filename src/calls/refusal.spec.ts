import { MAX_READ_TOOL_CALLS } from '../core/index.js';
import { errorHeaders, type WeirError } from '../http/index.js';
import { answer, context, harmlessCall, policy, SECRET_WORD, service } from '../judgement/testdata/worked-calls.js';
import { refusalOf } from './refusal.js';

/** The refusal of an answer with these tool calls. */
async function refusalWith(toolCalls: number, content = ''): Promise<WeirError> {
  const { call } = answer({ content, tool_calls: Array(toolCalls).fill(harmlessCall) });
  const judgement = await service.judge({
    ...{ accountId: 'account-1', context, policy: policy(), call },
    ...{ kind: 'answer', enforceable: true, monitorRequested: false },
  });
  expect(judgement.action).toBe('block');
  return refusalOf(judgement, 'e');
}

describe('The refusal of an answer that could not be judged', () => {
  it('asks for a retry if a detector failed', async () => {
    const { type, options } = await refusalWith(1, `faulty ${SECRET_WORD}`);
    expect(type).toBe('guardrail_unavailable');
    expect(errorHeaders(type, options)).toEqual({ 'retry-after': '1' });
  });

  it('asks for no retry if the answer has more tool calls than are read, and names the limit', async () => {
    const { type, message, options } = await refusalWith(MAX_READ_TOOL_CALLS + 1);
    expect(type).toBe('guardrail_unavailable');
    expect(message).toContain(`more than ${MAX_READ_TOOL_CALLS} tool calls`);
    expect(errorHeaders(type, options)).toEqual({ 'x-should-retry': 'false' });
  });
});
