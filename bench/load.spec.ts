import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callsOf, madeAhead, recurring, round, sequentialMedianMs, type Load, type Sent } from './load.js';

/** Calls with the bodies `1`, `2`, …, whose right answers repeat the body. */
function numbered(): () => Sent {
  let calls = 0;
  return () => {
    const body = String((calls += 1));
    return { body, isRight: (answer) => answer === `answer to ${body}` };
  };
}

describe('The load of the benches', () => {
  let server: Server;
  /** The answer of the server to a body. */
  let answerTo: (body: string) => { readonly status: number; readonly text: string };

  beforeEach(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { status, text } = answerTo(Buffer.concat(chunks).toString());
        response.writeHead(status, { 'content-type': 'text/plain' });
        response.end(text);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const load = (): Load => ({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    headers: {},
    next: numbered(),
  });
  const right = (body: string) => ({ status: 200, text: `answer to ${body}` });
  /** Answers one call with the answer to another one. */
  const swapped = (body: string) => (body === '3' ? right('2') : right(body));

  it('has no wrong answer if each answer is the one to its call, on several connections', async () => {
    answerTo = right;
    expect(await callsOf(load(), 4, 40)).toBe(0);
  });

  it('counts an answer of 200 that belongs to another call as wrong, as it does other statuses', async () => {
    answerTo = swapped;
    expect(await callsOf(load(), 2, 10)).toBe(1);
    answerTo = (body) => (Number(body) % 5 === 0 ? { status: 503, text: '' } : swapped(body));
    expect(await callsOf(load(), 2, 10)).toBe(3);
  });

  it('does not give figures of a round or of sequential calls with a wrong answer', async () => {
    answerTo = swapped;
    await expect(round(load(), 2, 1)).rejects.toThrow('1 had a wrong body');
    await expect(sequentialMedianMs(load(), 5)).rejects.toThrow('the answer is not the one to its call');
  });
});

describe('Calls that are made ahead', () => {
  const bodies = (next: () => Sent, count: number): string[] => Array.from({ length: count }, () => next().body);

  it('are sent in their order, then calls that are created when they are sent, and none twice', () => {
    const { next, make } = madeAhead(numbered());
    make(3);
    expect(bodies(next, 2)).toEqual(['1', '2']);
    make(3);
    expect(bodies(next, 4)).toEqual(['3', '4', '5', '6']);
  });
});

describe('The calls of a baseline', () => {
  it('recur after the given number of calls', () => {
    const next = recurring(numbered(), 3);
    const sent = Array.from({ length: 6 }, () => next().body);
    expect(new Set(sent)).toEqual(new Set(['1', '2', '3']));
    expect(sent.slice(0, 3)).toEqual(sent.slice(3));
  });
});
