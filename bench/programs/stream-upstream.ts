import { createServer } from 'node:http';

/**
 * A provider that streams: its first event at once, then one after each gap. Each event's id tells when it was sent, in
 * microseconds of the machine's clock.
 */
const WORDS = 'The team looked at the plan for the autumn and found that most of it could stay as it was written'.split(
  ' ',
);

/** When an answer was last cut off by the other side, in microseconds of the machine's clock. */
let leftAtUs = 0;
const nowUs = (): number => Math.round((performance.timeOrigin + performance.now()) * 1000);

createServer((request, response) => {
  if (request.method === 'GET') return void response.end(String(leftAtUs));
  response.on('close', () => {
    if (!response.writableFinished) leftAtUs = nowUs();
  });
  const events = Number(request.headers['x-bench-events']);
  const gapMs = Number(request.headers['x-bench-gap-ms']);
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let sent = 0;
    const send = (): void => {
      const id = nowUs();
      const delta = { content: `${WORDS[sent % WORDS.length]} ` };
      const chunk = { id: `t${id}`, object: 'chat.completion.chunk', model: 'gpt-4o', choices: [{ index: 0, delta }] };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      if (response.destroyed) return;
      if (++sent < events) setTimeout(send, gapMs);
      else response.end('data: [DONE]\n\n');
    };
    send();
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
