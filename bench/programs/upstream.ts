import { createServer } from 'node:http';

/** A provider that answers immediately with a fixed chat completion, so that only the program in front of it is measured. */
const answer = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4o',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Paris is the capital of France. '.repeat(20) },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 200, completion_tokens: 140, total_tokens: 340 },
  }),
);
createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
    response.end(answer);
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
