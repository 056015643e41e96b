import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runWeir } from '../../../../test/support/run-weir.js';

const EVENT = {
  ...{ id: '0199a1b2-0000-7000-8000-000000000001', event_id: 'e1', type: 'ai.request', key_id: 'k' },
  ...{ app: { id: 'a', name: 'web' }, environment: 'production', decision: 'allow', reason: null, model: null },
  ...{ violations: [], policy: null, received_at: '2026-11-21T09:00:00Z' },
};
const stream = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);

/** Runs `weir events tail` against a server; the run is interrupted at the request for which there is no answer. */
async function tail(...answers: ((response: ServerResponse) => unknown)[]) {
  const stop = new AbortController();
  let requests = 0;
  const server = createServer((_request, response) => {
    const answer = answers[requests++];
    if (answer === undefined) stop.abort();
    else answer(response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const run = await runWeir(['events', 'tail', '--url', url], { env: { WEIR_TOKEN: 'wt' }, signal: stop.signal });
    return { ...run, requests, lines: run.stderr.trimEnd().split('\n') };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('weir events tail', () => {
  it('says that the connection was lost, and continues with a new one', async () => {
    const run = await tail((response) => stream(response, ': connected\n\n'));
    expect(run.lines).toEqual([
      'the connection was lost (the server ended the stream); trying again',
      'exit 130: interrupted',
    ]);
  }, 15_000);

  it('ends if an event of another version cannot be read, instead of asking for it again and again', async () => {
    const odd = { ...EVENT, environment: 'moon' };
    const run = await tail((response) => stream(response, `: connected\n\ndata: ${JSON.stringify(odd)}\n\n`));
    expect(run).toMatchObject({ exit: 4, requests: 1, stdout: '' });
    expect(run.lines.at(-1)).toContain('does the server run another version?');
  });

  it.each<[string, (response: ServerResponse) => unknown, string]>([
    ['a gateway without a server', (response) => response.writeHead(502).end(), 'a gateway in front of the server'],
    ['a server that fails', (response) => response.writeHead(500).end(), 'answered 500'],
    ['a page', (response) => response.end('<html>\nWelcome\n</html>\n'), 'the answer is not a stream of events'],
  ])('ends if it never gets a stream, but %s', async (_what, answer, words) => {
    const run = await tail(answer, answer, answer);
    expect(run.exit).toBe(4);
    expect(run.lines.at(-1)).toContain(words);
  });
});
