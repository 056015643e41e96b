import { createServer } from 'node:http';

/**
 * A provider that streams as OpenAI does: a first event with only the role, words with a leading space, one id for all events of an
 * answer. It sends the first event immediately, then one after each gap. `GET /sent/<id>` returns the times at which the events of an
 * answer were sent, in microseconds since the epoch.
 */
const WORDS = 'The team looked at the plan for the autumn and found that most of it could stay as it was written'.split(
  ' ',
);

/** Time of the last answer that the client cut off, in microseconds since the epoch. */
let leftAtUs = 0;
const sentAtUs = new Map<string, number[]>();
let answers = 0;
const nowUs = (): number => Math.round((performance.timeOrigin + performance.now()) * 1000);

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
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let sent = 0;
    const id = `chatcmpl-${(answers += 1)}`;
    const times: number[] = [];
    sentAtUs.set(id, times);
    const send = (): void => {
      times.push(nowUs());
      const word = WORDS[sent % WORDS.length]!;
      const delta = sent === 0 ? { role: 'assistant', content: '' } : { content: sent === 1 ? word : ` ${word}` };
      const chunk = { id, object: 'chat.completion.chunk', model: 'gpt-4o', choices: [{ index: 0, delta }] };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      if (response.destroyed) return;
      if (++sent < events) setTimeout(send, gapMs);
      else response.end('data: [DONE]\n\n');
    };
    send();
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
