/**
 * Peer of the SDK benchmark: a provider and a simulated Weir in one process, so that their CPU time does not count as the
 * client's. The provider's answer repeats the text of the request; `GET /counts` returns the number of requests.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const counts = { questions: 0, calls: 0, reports: 0, guardedReports: 0, guardedBatches: 0 };

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** The header line of each reported answer in a batch. */
function headsOf(batch: Buffer): { call: string; length: number }[] {
  const heads: { call: string; length: number }[] = [];
  for (let at = 0; at < batch.length;) {
    const end = batch.indexOf(10, at);
    const head = JSON.parse(batch.toString('utf8', at, end)) as { call: string; length: number };
    heads.push(head);
    at = end + 1 + head.length + 1;
  }
  return heads;
}

function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const url = request.url ?? '';
  if (url === '/counts') return json(response, counts);
  if (url === '/v1/calls/answers') {
    const heads = headsOf(body);
    counts.reports += heads.length;
    if (request.headers['user-agent']?.startsWith('weir-sdk') === true) {
      counts.guardedBatches += 1;
      counts.guardedReports += heads.length;
    }
    return json(response, { answers: heads.map(({ call }) => ({ call, status: 200, event_id: 'e', violations: [] })) });
  }
  if (url.startsWith('/v1/calls/')) {
    counts.questions += 1;
    const answerHeaders = { 'x-weir-call': randomUUID(), 'x-weir-event-id': randomUUID(), 'x-weir-decision': 'allow' };
    response.writeHead(204, { ...answerHeaders, 'x-weir-governed': 'true' }).end();
    return;
  }
  counts.calls += 1;
  const { messages } = JSON.parse(body.toString()) as { messages: { content: string }[] };
  json(response, {
    ...{ id: `chatcmpl-${randomUUID()}`, object: 'chat.completion', created: 1, model: 'gpt-4o' },
    choices: [{ index: 0, message: { role: 'assistant', content: messages.at(-1)?.content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  });
}

createServer((request, response) => {
  void bodyOf(request).then((body) => answer(request, response, body));
}).listen(Number(process.env['PORT']), '127.0.0.1');
