import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { RawUpstream } from '../support/raw-upstream.js';

/** The behaviour of a provider. */
export type Mood = 'answers' | 'hangs' | 'drips' | 'resets' | 'garbage' | 'gzip bomb';

const DRIP_EVERY_MS = 50;
/** The decompressed size of the bomb: more than Weir accepts (`WEIR_PROXY_ANSWER_LIMIT`). */
const BOMB_BYTES = 64 * 1_048_576;

const ANSWER = JSON.stringify({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-4o' },
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});

/** A provider that breaks on demand. */
export class FaultProvider {
  mood: Mood = 'answers';
  private readonly bomb = gzipSync(Buffer.alloc(BOMB_BYTES));

  private constructor(private readonly server: RawUpstream) {
    server.answer((response) => {
      server.requests.length = 0;
      this.respond(response);
    });
  }

  static async start(): Promise<FaultProvider> {
    return new FaultProvider(await RawUpstream.start());
  }

  get url(): string {
    return this.server.url;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private respond(response: ServerResponse): void {
    response.on('error', () => undefined);
    const json = { 'content-type': 'application/json' };
    switch (this.mood) {
      case 'answers':
        response.writeHead(200, json).end(ANSWER);
        return;
      case 'hangs':
        return;
      case 'drips':
        drip(response);
        return;
      case 'resets':
        response.socket?.resetAndDestroy();
        return;
      case 'garbage':
        response
          .writeHead(200, json)
          .end(Buffer.from(Array.from({ length: 4_096 }, (_unused, at) => (at * 197) % 256)));
        return;
      case 'gzip bomb':
        response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(this.bomb);
    }
  }
}

/** Sends one character at a time of an answer that never ends. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"id":"');
  const timer = setInterval(() => response.write('x'), DRIP_EVERY_MS);
  response.on('close', () => clearInterval(timer));
}
