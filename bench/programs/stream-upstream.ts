import { createServer } from 'node:http';
import { referenceIn, streamedTokens } from '../usual-calls.js';

/**
 * A provider that streams as OpenAI does: a first event with only the role, then a new text in pieces as long as tokens, and one id for all
 * events of an answer. It sends the first event immediately, then one after each gap, and its usage at the end if the request asks for it.
 * `GET /sent/<id>` returns the times at which the events of an answer were sent, in microseconds since the epoch.
 */

/** Time of the last answer that the client cut off, in microseconds since the epoch. */
let leftAtUs = 0;
const sentAtUs = new Map<string, number[]>();
let answers = 0;
const nowUs = (): number => Math.round((performance.timeOrigin + performance.now()) * 1000);
const USAGE = { prompt_tokens: 900, completion_tokens: 60, total_tokens: 960 };

createServer((request, response) => {
  if (request.method === 'GET') {
    const id = /^\/sent\/(.+)$/.exec(request.url ?? '')?.[1];
    if (id === undefined) return void response.end(String(leftAtUs));
    response.end(JSON.stringify(sentAtUs.get(id) ?? []));
    sentAtUs.delete(id);
    return;
  }
  response.on('close', () => {
    if (!response.writableFinished) leftAtUs = nowUs();
  });
  const events = Number(request.headers['x-bench-events']);
  const gapMs = Number(request.headers['x-bench-gap-ms']);
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const asked = Buffer.concat(chunks).toString('utf8');
    const tokens = streamedTokens(referenceIn(asked) ?? 'none', events);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const id = `chatcmpl-${(answers += 1)}`;
    const common = { id, object: 'chat.completion.chunk', model: 'gpt-4o' };
    const times: number[] = [];
    sentAtUs.set(id, times);
    let sent = 0;
    const end = (): void => {
      if (asked.includes('"include_usage"'))
        response.write(`data: ${JSON.stringify({ ...common, choices: [], usage: USAGE })}\n\n`);
      response.end('data: [DONE]\n\n');
    };
    const send = (): void => {
      times.push(nowUs());
      const content = tokens[sent] ?? '';
      const delta = sent === 0 ? { role: 'assistant', content } : { content };
      response.write(`data: ${JSON.stringify({ ...common, choices: [{ index: 0, delta }] })}\n\n`);
      if (response.destroyed) return;
      if (++sent < events) setTimeout(send, gapMs);
      else end();
    };
    send();
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
