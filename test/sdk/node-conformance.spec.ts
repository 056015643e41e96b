import { isDeepStrictEqual } from 'node:util';
import { PLUGINS } from '../../plugins/index.js';
import { isBlocked, Weir, weir, weirFetch, weirOf } from '../../sdk/node/src/index.js';
import { clientCases, type ClientCase, type ClientCases } from '../matrix/client-cases.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { callWith, isOfOfficialClients, type Guarding } from './conformance-clients.js';

/** A new seed for every run, unless one is set. */
const SEED = Number(process.env['WEIR_TEST_SEED']);

/** The outcome of a call through the proxy or by a client. */
interface Made {
  readonly refused: string | null;
  readonly sent: unknown;
}

/** An event of the log. */
type Stored = Readonly<Record<string, unknown>> & { readonly session_id: string; readonly type: string };

/** Fields that depend on the path of a call or are new with every call. */
const OF_ITS_WAY = [
  ...[
    'id',
    'event_id',
    'request_id',
    'trace_id',
    'parent_id',
    'session_id',
    'source',
    'latency_ms',
    'received_at',
    'metadata',
    'clock',
  ],
];
/** Fields about enforcement, which the proxy applies to answers, but which are only reported for a client's own calls. */
const OF_ENFORCING = ['decision', 'reason', 'outcome', 'redactions', 'enforced'];

describe('the calls of the conformance matrix, made by guarded clients', () => {
  let all: ClientCases;
  let app: TestApp;
  let provider: RawUpstream;
  const { warn } = console;
  beforeAll(async () => {
    // Anthropic's client warns about names of models.
    console.warn = () => undefined;
    all = await clientCases(SEED);
    provider = await RawUpstream.start();
    app = await startTestApp({
      policies: all.policies,
      plugins: PLUGINS,
      env: {
        WEIR_OPENAI_BASE_URL: provider.url,
        WEIR_ANTHROPIC_BASE_URL: provider.url,
        WEIR_GEMINI_BASE_URL: provider.url,
      },
    });
  }, 120_000);
  afterAll(async () => {
    console.warn = warn;
    await app.close();
    await provider.close();
  });

  const sentOf = (): unknown => {
    if (provider.requests.length > 1) throw new Error('the provider was called more than once');
    const [request] = provider.requests;
    return request === undefined ? null : JSON.parse(request.body.toString('utf8'));
  };

  const prepare = ({ answer }: ClientCase): void => {
    provider.requests.length = 0;
    provider.answer(
      (response) => void response.writeHead(200, { 'content-type': answer.content_type }).end(answer.body),
    );
  };

  async function throughProxy(one: ClientCase, session: string): Promise<Made> {
    prepare(one);
    const response = await fetch(`${app.url}/proxy/${one.provider}${one.path}`, {
      method: 'POST',
      headers: {
        'x-service-key': app.bootstrap.keys[one.environment],
        'x-service-session': session,
        'content-type': 'application/json',
      },
      body: JSON.stringify(one.request),
    });
    const text = await response.text();
    const isRefused = response.headers.get('x-weir-decision') === 'block' && provider.requests.length === 0;
    return { refused: isRefused ? codeIn(text) : null, sent: sentOf() };
  }

  async function byClient(one: ClientCase, connection: Weir): Promise<Made> {
    prepare(one);
    const guarding: Guarding = { guard: (client) => weir(client, connection), fetch: weirFetch(connection) };
    let refused: string | null = null;
    try {
      if (isOfOfficialClients(one)) await callWith(guarding, provider.url, one);
      else refused = await byFetch(guarding, one);
    } catch (error) {
      if (!isBlocked(error)) throw error;
      refused = weirOf(error)?.code ?? 'no code';
    }
    return { refused, sent: sentOf() };
  }

  async function byFetch({ fetch: guarded }: Guarding, one: ClientCase): Promise<string | null> {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(one.request) };
    const response = await guarded(`${provider.url}${one.path}`, init);
    const text = await response.text();
    return response.ok ? null : codeIn(text);
  }

  /** Everything in the log, by session. */
  async function stored(): Promise<Map<string, Stored[]>> {
    const bySession = new Map<string, Stored[]>();
    let cursor: string | null = '';
    while (cursor !== null) {
      const query = `limit=200&order=asc${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const response = await fetch(`${app.url}/v1/events?${query}`, {
        headers: { authorization: `Bearer ${app.bootstrap.token}` },
      });
      const page = (await response.json()) as { readonly data: readonly Stored[]; readonly next_cursor: string | null };
      for (const event of page.data)
        bySession.set(event.session_id, [...(bySession.get(event.session_id) ?? []), event]);
      cursor = page.next_cursor;
    }
    return bySession;
  }

  it('have the same decisions, bodies and log records as through the proxy, and the expected ones', async () => {
    const red: string[] = [];
    const note = (one: ClientCase, what: string, got: unknown, wanted: unknown): void => {
      if (!isDeepStrictEqual(got, wanted)) red.push(`seed ${SEED}: ${one.id}: ${what}`);
    };
    for (const [index, one] of all.cases.entries()) {
      const { code, sent } = one.expected;
      const settings = { apiKey: app.bootstrap.keys[one.environment], baseUrl: app.url, deadlineMs: 60_000 };
      const connection = new Weir({ ...settings, flushTimeoutMs: 60_000, session: `client-${index}` });
      const proxied = await throughProxy(one, `proxy-${index}`);
      const made = await byClient(one, connection);
      await connection.flush();
      for (const [way, { refused, sent: got }] of Object.entries({ 'the proxy': proxied, 'the client': made })) {
        note(one, `${way} refuses with another code`, refused, code);
        note(one, `${way} does not send the expected body`, got, sent);
      }
    }
    const log = await stored();
    for (const [index, one] of all.cases.entries()) {
      const [proxied, made] = ['proxy', 'client'].map((way) => log.get(`${way}-${index}`) ?? []) as [
        Stored[],
        Stored[],
      ];
      note(one, 'the log differs from the log of the proxy', made.map(comparable), proxied.map(comparable));
      const asked = made.find(({ type }) => type === 'ai.request');
      note(one, 'the recorded decision is not as expected', asked?.['decision'], one.expected.decision);
      note(one, 'the recorded violations are not as expected', violationsOf(asked), one.expected.violations);
      const answerEvent = made.find(({ type }) => type === 'ai.response');
      note(one, 'the rules of the answer are not as expected', rulesOf(answerEvent), one.expected.answer_rules);
    }
    expect([red.length, red.slice(0, 40)]).toEqual([0, []]);
  }, 900_000);
});

function codeIn(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? 'no code';
}

function comparable(event: Stored): unknown {
  const isOfAnswer = event.type !== 'ai.request';
  const left = [...OF_ITS_WAY, ...(isOfAnswer ? OF_ENFORCING : [])];
  const text = JSON.stringify(event, (key, each: unknown) => {
    if (left.includes(key)) return undefined;
    // Signed text cannot be masked: the proxy blocks it instead.
    return isOfAnswer && key === 'action' && each === 'block' ? 'redact' : each;
  });
  return JSON.parse(text);
}

function violationsOf(event: Stored | undefined): unknown {
  const violations = (event?.['violations'] ?? []) as readonly Readonly<Record<string, unknown>>[];
  return Array.from(violations, ({ rule, action, enforced }) => ({ rule, action, enforced }));
}

function rulesOf(event: Stored | undefined): unknown {
  const violations = (event?.['violations'] ?? []) as readonly { readonly rule: string }[];
  return [...new Set(violations.map(({ rule }) => rule))].sort();
}
