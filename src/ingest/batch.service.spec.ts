import { EventEmitter } from 'node:events';
import { toolUse } from '../../plugins/tool-use/tool-use.js';
import type { CallEntrance } from '../calls/index.js';
import type { AppConfig } from '../config/index.js';
import { compilePolicy } from '../core/index.js';
import { createLogger } from '../http/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import { BatchService, type BatchInput } from './batch.service.js';
import type { IngestService, SubmitResult } from './ingest.service.js';
import { CALLER } from './testdata/caller.js';

const RULE_ON_SESSIONS = `
  - id: flow.no-mail-after-web
    title: No mail after a page from the web
    stage: tool
    severity: high
    when: { all: [{ flow: { from: { tool_result: { name: fetch_page } }, to: { tool_call: { name: send_mail } } } }] }
    then: { action: block }
    on_unknown: match
`;
const RULE_ON_ONE_CALL = `
  - id: tool.no-mail
    title: No mail
    stage: tool
    severity: high
    when: { all: [{ tool.name: { tool_is: send_mail } }] }
    then: { action: block }
    on_unknown: match
`;

function policyWith(rule: string): ActivePolicy {
  const text = `
apiVersion: weir/v1
kind: Policy
metadata: { id: production, title: Test policy, owner: security@example.com }
environment: production
default: allow
rules:${rule}`;
  const { policy } = compilePolicy({
    environment: 'production',
    files: [{ path: 'production/policy.yaml', text }],
    plugins: { detectors: [], structures: [toolUse], ledgers: [] },
  });
  return { policy } as ActivePolicy;
}

/** The number of events for which the stored ones wait, while all events of a batch are being judged. */
async function expectedTogether(events: readonly object[], rule: string): Promise<number> {
  const judging = Promise.withResolvers<void>();
  const allBegan = Promise.withResolvers<void>();
  let began = 0;
  let expected = (): number => Number.NaN;
  const submitAs = async (): Promise<SubmitResult> => {
    began += 1;
    if (began === events.length) allBegan.resolve();
    await judging.promise;
    return { answer: { status: 200, headers: {}, body: '{}' }, replayed: false };
  };
  const entered = { caller: CALLER, leave: () => undefined };
  const service = new BatchService(
    {
      enter: ({ countEvents }: { readonly countEvents: () => number }) => {
        countEvents();
        return Promise.resolve(entered);
      },
    } as unknown as CallEntrance,
    { submitAs } as unknown as IngestService,
    { gather: (_caller, open) => ((expected = open), { changed: () => undefined, end: () => undefined }) },
    { active: () => policyWith(rule) },
    { events: { bodyLimitBytes: 1_000 }, server: { baseUrl: 'http://weir.example' } } as AppConfig,
    createLogger('fatal'),
  );
  const input: BatchInput = {
    ...{ client: new EventEmitter() as unknown as BatchInput['client'], key: 'k', traceId: 't' },
    ...{ loggedId: () => 't', readTexts: () => events.map((event) => JSON.stringify(event)) },
    setHeader: () => undefined,
  };
  const answers = service.submit(input, () => undefined);
  await allBegan.promise;
  await new Promise(setImmediate);
  const open = expected();
  judging.resolve();
  expect(await answers).toHaveLength(events.length);
  return open;
}

describe('A batch of tool calls of one session', () => {
  const call = { type: 'agent.tool_call', payload: { tool: 'look', arguments: {} } };
  const ofPayload = { ...call, payload: { ...call.payload, session_id: 's' } };
  const ofMetadata = { ...call, metadata: { session_id: 's' } };

  it.each([
    ['payload.session_id', ofPayload],
    ['metadata.session_id', ofMetadata],
  ])(
    'is stored call by call without waiting for the next one, if rules read the session in %s',
    async (_field, one) => {
      expect(await expectedTogether([one, one, one], RULE_ON_SESSIONS)).toBe(0);
    },
  );

  it.each([
    ['tool calls of a session that no rule reads', ofPayload, RULE_ON_ONE_CALL],
    ['tool calls without a session', call, RULE_ON_SESSIONS],
    ['requests of a session', { type: 'ai.request', metadata: { session_id: 's' } }, RULE_ON_SESSIONS],
  ])('is the only exception: %s wait for each other and are stored together', async (_what, one, rule) => {
    expect(await expectedTogether([one, one, one], rule)).toBe(3);
  });
});
