import { decodeRequest, parseJson } from '../core/index.js';
import type { CallPipeline, CallStep, EventContent, Judged } from './call-pipeline.js';
import { FailureRecorder, type PartialAnswer } from './failure-recorder.js';
import type { AdmittedCall } from './proxied-call.js';

const REQUEST = { model: 'm', messages: [{ role: 'user', content: 'Hello there' }] };
const CALL = {
  ...{ surface: 'proxy', id: 'call', requestId: 'r', method: 'POST', receivedAt: new Date(0), startedMs: 0 },
  caller: { accountId: 'a' },
  annotations: {},
  request: decodeRequest('openai.chat', parseJson(JSON.stringify(REQUEST))),
  target: {
    provider: { id: 'openai' },
    path: '/v1/chat/completions',
    dialect: 'openai.chat',
    governed: true,
    facts: {},
  },
} as unknown as AdmittedCall;

/** The recorded content of a call that ended without an answer. */
async function recorded(about: PartialAnswer): Promise<EventContent> {
  const contents: EventContent[] = [];
  const pipeline = {
    end: async (step: CallStep) => void contents.push(await step.content({} as Judged)),
  };
  const recorder = new FailureRecorder(pipeline as unknown as CallPipeline);
  await recorder.withoutAnswer(CALL, 'upstream_unreachable', { sentMs: 0, overheadMs: 0 }, about);
  return contents[0]!;
}

describe('A call without a complete answer', () => {
  it('is charged for its input, because the provider may have received it', async () => {
    expect((await recorded({})).usage).toMatchObject({ promptTokens: expect.any(Number), estimated: true });
    expect((await recorded({ status: 200 })).usage).toMatchObject({ estimated: true });
  });

  it.each([400, 429, 500, 503])('costs nothing if the provider began to answer with the error %d', async (status) => {
    expect(await recorded({ status })).toMatchObject({ upstreamStatus: status, usage: undefined });
  });

  it('costs nothing if it was not sent', async () => {
    expect((await recorded({ sent: false })).usage).toBeUndefined();
  });

  it('lets other work run while a long part of its answer is read', async () => {
    const body = Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'.repeat(100_000));
    let turns = 0;
    let isOver = false;
    const between = (): void => {
      turns++;
      if (!isOver) setImmediate(between);
    };
    setImmediate(between);
    const { usage } = await recorded({ status: 200, seen: { contentType: 'text/event-stream', body } });
    isOver = true;
    expect(usage).toMatchObject({ completionTokens: 125_000, estimated: true });
    expect(turns).toBeGreaterThan(5);
  });
});
