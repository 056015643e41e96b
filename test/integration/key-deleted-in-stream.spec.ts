import { appWithUpstream } from '../support/app-with-upstream.js';
import { recordedAnswer } from '../support/recorded-answer.js';

type Environment = 'development' | 'production';

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'gpt-4o', choices: [{ index: 0, delta: { content } }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const CHAT = JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'x' }] });

// ADR 0064.
describe('a key that is deleted during an answer', () => {
  const { app, upstream } = appWithUpstream();

  it.each<Environment>(['production', 'development'])(
    'admits no new calls, and its open call is judged and recorded to the end (%s)',
    async (environment) => {
      const keys = `${app().url}/v1/apps/${app().bootstrap.app.id}/keys`;
      const token = { authorization: `Bearer ${app().bootstrap.token}` };
      const made = await fetch(keys, {
        method: 'POST',
        headers: { ...token, 'content-type': 'application/json' },
        body: JSON.stringify({ name: `short-lived ${environment}`, environment }),
      });
      const { key, secret } = (await made.json()) as { key: { id: string }; secret: string };
      const ask = (requestId: string): Promise<Response> =>
        fetch(`${app().url}/proxy/openai/v1/chat/completions`, {
          method: 'POST',
          headers: { 'x-service-key': secret, 'content-type': 'application/json', 'x-request-id': requestId },
          body: CHAT,
        });
      let goOn: () => void = () => undefined;
      const more = new Promise<void>((resolve) => (goOn = resolve));
      upstream().answer(async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(chunk('before. '));
        await more;
        response.end(chunk('mail-1 behind it') + DONE);
      });
      const response = await ask(`open-${environment}`);
      const deleted = await fetch(`${keys}/${key.id}`, { method: 'DELETE', headers: token });
      expect(deleted.status).toBe(204);
      expect((await ask('again')).status).toBe(401);
      goOn();
      const text = await response.text();
      expect(text.endsWith(DONE)).toBe(true);
      expect(text.includes('mail-1')).toBe(environment === 'development');
      expect(await recordedAnswer(app(), `open-${environment}`)).toMatchObject({
        type: 'ai.response',
        upstream_status: 200,
      });
    },
    120_000,
  );
});
