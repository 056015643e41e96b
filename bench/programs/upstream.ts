import { createServer } from 'node:http';
import { answerBody } from '../usual-calls.js';

/** A provider that answers each call immediately with a new text, so that only the program in front of it is measured. */
createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const answer = answerBody();
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    response.end(answer);
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
