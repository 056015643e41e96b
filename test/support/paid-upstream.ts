import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { urlOf } from './ports.js';

export interface Bill {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The behaviour of the provider after a call: it answers, or it holds the answer or the rest of it until `release`. */
export type Manner = 'answer' | 'wait' | 'begin and wait';

/** A provider that counts the tokens that it would bill: once for each call, when it creates the answer. */
export class PaidUpstream {
  billedTokens = 0;
  answered = 0;
  /** Number of calls that have arrived. */
  arrived = 0;
  /** Number of calls whose connection closed before the end of the answer. */
  aborted = 0;
  manner: Manner = 'answer';
  private readonly held: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    private readonly bill: () => Bill,
    private readonly delayMs: () => number,
  ) {}

  static async start(bill: () => Bill, delayMs: () => number): Promise<PaidUpstream> {
    const server = createServer();
    const upstream = new PaidUpstream(server, bill, delayMs);
    server.on('request', (request, response) => void upstream.serve(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return upstream;
  }

  get url(): string {
    return urlOf(this.server);
  }

  /** Releases all held calls. */
  release(): void {
    for (const go of this.held.splice(0)) go();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { manner } = this;
    request.resume();
    await once(request, 'end');
    this.arrived++;
    response.on('error', () => undefined);
    response.on('close', () => (this.aborted += response.writableFinished ? 0 : 1));
    if (manner === 'begin and wait') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        'data: {"id":"c","choices":[{"index":0,"delta":{"content":"so far this is long enough for all that reads it to let it go on "}}]}\n\n',
      );
    }
    if (manner === 'answer') await new Promise((resolve) => setTimeout(resolve, this.delayMs()));
    else await new Promise<void>((resolve) => this.held.push(resolve));
    const { promptTokens, completionTokens } = this.bill();
    this.billedTokens += promptTokens + completionTokens;
    this.answered++;
    const usage = { prompt_tokens: promptTokens, completion_tokens: completionTokens };
    if (manner === 'begin and wait') {
      response.end(`data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\ndata: [DONE]\n\n`);
      return;
    }
    const choices = [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'c', object: 'chat.completion', model: 'gpt-4o', choices, usage }));
  }
}
