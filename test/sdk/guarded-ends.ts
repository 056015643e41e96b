/** The two servers behind a guarded client, started anew for each test: a stand-in for Weir, and one for a provider. */
import OpenAI from 'openai';
import type { WeirOptions } from '../../sdk/node/src/index.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { FakeWeir } from './fake-weir.js';
import { fetchUntil } from './fetch-until.js';

/** An answer of OpenAI. */
export const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
};

/**
 * Starts both servers before each test of the enclosing `describe`, and stops them after it.
 *
 * @param apiKey the key that clients send to Weir
 * @param answer what the provider answers to every call
 */
export function guardedEnds(apiKey: string, answer: object = COMPLETION) {
  let fake: FakeWeir;
  let provider: RawUpstream;
  const warnings: string[] = [];
  const toWeir = fetchUntil(afterEach);
  beforeEach(async () => {
    warnings.length = 0;
    fake = await FakeWeir.start();
    provider = await RawUpstream.start();
    provider.answerJson(answer);
  });
  afterEach(async () => {
    await fake.close();
    await provider.close();
  });
  return {
    /** What the clients of the test have warned of. */
    warnings,
    toWeir,
    get fake(): FakeWeir {
      return fake;
    },
    get provider(): RawUpstream {
      return provider;
    },
    options: (more: WeirOptions = {}): WeirOptions => ({
      apiKey,
      baseUrl: fake.url,
      // Long enough for busy machines.
      deadlineMs: 30_000,
      onWarning: (message) => void warnings.push(message),
      fetch: toWeir(),
      ...more,
    }),
    /** A client of the provider without the guard. */
    bare: (): OpenAI => new OpenAI({ apiKey: 'provider-key', baseURL: `${provider.url}/v1` }),
  };
}
