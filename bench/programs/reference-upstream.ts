import { createServer, type ServerResponse } from 'node:http';
import { ANSWER_WORDS, answerWords } from '../peers/reference-answer.js';

/**
 * A provider that answers immediately and ends its answer with the reference in the prompt, so that an answer can be matched to its
 * call; streams have one word per event, and each event is written in its own turn of the event loop. `GET /last` returns the last call
 * unchanged, and `/log` accepts anything, as a sink for the log of a gateway.
 */
const USAGE = { prompt_tokens: 300, completion_tokens: ANSWER_WORDS, total_tokens: 300 + ANSWER_WORDS };
let last = '';
let answers = 0;

function answer(response: ServerResponse, reference: string): void {
  const message = { role: 'assistant', content: answerWords(reference).join('') };
  const body = JSON.stringify({
    id: `chatcmpl-${(answers += 1)}`,
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4o',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: USAGE,
  });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function stream(response: ServerResponse, reference: string, withUsage: boolean): void {
  const common = { id: `chatcmpl-${(answers += 1)}`, object: 'chat.completion.chunk', created: 1, model: 'gpt-4o' };
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    ...common,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const events = [
    ...answerWords(reference).map((content, nth) => chunk(nth === 0 ? { role: 'assistant', content } : { content })),
    chunk({}, 'stop'),
    ...(withUsage ? [{ ...common, choices: [], usage: USAGE }] : []),
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let sent = 0;
  const send = (): void => {
    if (response.destroyed) return;
    const event = events[sent++];
    if (event === undefined) return void response.end('data: [DONE]\n\n');
    response.write(event);
    setImmediate(send);
  };
  send();
}

createServer((request, response) => {
  if (request.method === 'GET') return void response.end(last);
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url === '/log') return void response.end('{}');
    last = Buffer.concat(chunks).toString('utf8');
    const reference = /Reference ([a-z]+)\./.exec(last)?.[1] ?? 'none';
    if (/"stream": ?true/.test(last)) stream(response, reference, last.includes('include_usage'));
    else answer(response, reference);
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
