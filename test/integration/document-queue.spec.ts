/** The bound of the document queue: reported as overload, never as an outage of a detector. */
import { DocumentReader } from '../../src/documents/index.js';
import { pdfOf } from '../support/documents.js';
import { appWithUpstream } from '../support/app-with-upstream.js';

describe('documents that wait for a reader', () => {
  const { app, upstream } = appWithUpstream({
    env: { WEIR_DOCUMENT_QUEUE: '2', WEIR_DOCUMENT_THREADS: '1' },
  });
  beforeAll(() => {
    upstream().answerJson({ ok: true });
  });

  const file = pdfOf({ pages: Array.from({ length: 40 }, (_, page) => [`page ${page}`]), packed: true });
  const payload = {
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: file.toString('base64') } }] }],
  };

  const proxied = (body: object): Promise<Response> =>
    fetch(`${app().url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-service-key': app().bootstrap.keys.production, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const submitted = (body: object): Promise<Response> =>
    fetch(`${app().url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app().bootstrap.keys.production}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'ai.request', request_id: 'queue', payload: body }),
    });

  it.each([
    ['proxied calls', proxied, 'proxy'],
    ['submitted events', submitted, 'rest'],
  ])(
    'are limited in number: %s beyond the limit are refused with 503 and Retry-After, the others are processed',
    async (_what, send, source) => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => send(payload)));
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.length).toBeLessThan(answers.length);
      for (const answer of refused) {
        const { error } = (await answer.json()) as { error: { type: string; code?: string } };
        expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, true]);
        expect([error.type, error.code]).toContain('overloaded');
        expect(JSON.stringify(error)).not.toContain('guardrail_unavailable');
      }
      await Promise.all(answers.filter(({ status }) => status === 200).map((answer) => answer.text()));
      const metrics = await (await fetch(`${app().url}/metrics`)).text();
      expect(metrics).toContain(`weir_overload_refused_total{source="${source}"} ${refused.length}`);
    },
    60_000,
  );

  it('do not prevent that an answer with a document is forwarded and recorded', async () => {
    const reader = app().weir.app.get(DocumentReader, { strict: false });
    const message = { role: 'assistant', content: [{ type: 'file', file: { file_data: file.toString('base64') } }] };
    upstream().answerJson({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
    const waiting = Array.from({ length: 6 }, () => reader.read(file, ['another account']));
    const answer = await proxied({ model: 'm', messages: [{ role: 'user', content: 'a document' }] });
    expect(answer.status).toBe(200);
    await Promise.all([answer.text(), ...waiting]);
    const events = await fetch(`${app().url}/v1/events?request_id=${answer.headers.get('x-request-id')}`, {
      headers: { authorization: `Bearer ${app().bootstrap.token}` },
    });
    const { data } = (await events.json()) as { data: { type: string }[] };
    expect(data.map(({ type }) => type).toSorted()).toEqual(['ai.request', 'ai.response']);
    upstream().answerJson({ ok: true });
  }, 60_000);

  it('do not delay calls without documents, and are not logged as an outage of a detector', async () => {
    const waiting = Array.from({ length: 12 }, () => proxied(payload));
    const text = await proxied({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
    expect(text.status).toBe(200);
    for (const answer of await Promise.all(waiting)) await answer.text();
    const events = await fetch(`${app().url}/v1/events?limit=100`, {
      headers: { authorization: `Bearer ${app().bootstrap.token}` },
    });
    const { data } = (await events.json()) as { data: { reason: string | null; detectors: { status: string }[] }[] };
    expect(data.filter(({ reason }) => reason !== null)).toEqual([]);
    expect(data.flatMap(({ detectors }) => detectors).filter(({ status }) => status !== 'scanned')).toEqual([]);
  }, 60_000);
});
