import { createServer } from 'node:http';
import { answerTo } from '../usual-calls.js';

/**
 * A provider that answers each call immediately, so that only the program in front of it is measured. The answer tells which call it
 * belongs to, and how many e-mail addresses the provider received.
 */
createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const answer = answerTo(Buffer.concat(chunks).toString('utf8'));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    response.end(answer);
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
