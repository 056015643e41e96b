import fc from 'fast-check';
import { OpenCalls } from '../../src/call-checks/open-calls.js';
import { CallRecords, ENDED_BEFORE, type AdmittedCall, type CallRecord } from '../../src/calls/index.js';
import { COUNTED, expectExactBudgets } from '../support/budget-audit.js';
import { startTestApp, TEST_POLICIES, testPolicy, type TestApp } from '../support/test-app.js';

const ANSWER = Buffer.from(
  JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  }),
);
const CAME = { status: 200, contentType: 'application/json', coding: undefined, body: ANSWER };
const ENDS = [
  (record: CallRecord) => record.complete({ ...CAME, enforceable: true }),
  (record: CallRecord) => record.fail({ reason: 'upstream_timeout' }),
  (record: CallRecord) => record.complete({ ...CAME, status: 500, enforceable: false }),
  (record: CallRecord) => record.abandon(() => CAME),
];
const CALLS = Number(process.env['WEIR_TEST_CALL_RECORDS'] ?? 12);

describe('the end of a call', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({
      policies: { ...TEST_POLICIES, 'production/policy.yaml': testPolicy('production', COUNTED) },
    });
  }, 120_000);
  afterAll(() => app.close());

  /** An admitted call as in the proxy, where the log itself does not deduplicate ends. */
  const openCall = async (): Promise<AdmittedCall> => {
    const response = await fetch(`${app.url}/v1/calls/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(response.ok).toBe(true);
    const call = app.weir.app.get(OpenCalls, { strict: false }).find(response.headers.get('x-weir-call') ?? '');
    return { ...call!, surface: 'proxy' };
  };

  const endsOf = async ({ requestId }: AdmittedCall): Promise<readonly string[]> => {
    const headers = { authorization: `Bearer ${app.bootstrap.token}` };
    const answer = await fetch(`${app.url}/v1/events?request_id=${requestId}`, { headers });
    const { data } = (await answer.json()) as { readonly data: readonly { readonly type: string }[] };
    const types = data.map(({ type }) => type);
    expect(types).toContain('ai.request');
    return types.filter((type) => type !== 'ai.request');
  };

  it('is stored as one row and settles the reservation once, however often it is reported', async () => {
    const records = app.weir.app.get(CallRecords, { strict: false });
    const orders = fc.sample(fc.array(fc.nat(ENDS.length - 1), { minLength: 2, maxLength: 6 }), CALLS);
    for (const order of orders) {
      const call = await openCall();
      const record = records.open(call, { sentMs: performance.now(), overheadMs: 0 });
      const [first, ...later] = await Promise.all(order.map((end) => ENDS[end]!(record)));
      expect(first).not.toBe(ENDED_BEFORE);
      expect(later).toEqual(later.map(() => ENDED_BEFORE));
      expect(await endsOf(call)).toHaveLength(1);
    }
    await expectExactBudgets(app);
  }, 120_000);
});
