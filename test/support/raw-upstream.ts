import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { urlOf } from './ports.js';

/** A request as its bytes arrived. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  /** Names and values alternate. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export type Respond = (response: ServerResponse, request: RecordedRequest) => void | Promise<void>;

/** A provider under the test's full control: it records the bytes of requests and sends the answers that the test sets. */
export class RawUpstream {
  readonly requests: RecordedRequest[] = [];
  /** Number of answers that the other side aborted. */
  aborted = 0;
  private respond: Respond = (response) => void response.writeHead(404).end();
  private waiting: (() => void)[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<RawUpstream> {
    const server = createServer();
    const upstream = new RawUpstream(server);
    server.on('request', (request, response) => void upstream.serve(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return upstream;
  }

  get url(): string {
    return urlOf(this.server);
  }

  get last(): RecordedRequest {
    const last = this.requests.at(-1);
    if (last === undefined) throw new Error('no request has arrived');
    return last;
  }

  /** Sets the answer to all further requests. */
  answer(respond: Respond): void {
    this.respond = respond;
  }

  answerJson(body: unknown, status = 200, headers: Record<string, string> = {}): void {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    this.answer(
      (response) => void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text),
    );
  }

  answerSse(frames: readonly string[]): void {
    this.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const frame of frames) response.write(frame);
      response.end();
    });
  }

  /** Resolves when the other side has aborted an answer. */
  async untilAborted(): Promise<void> {
    if (this.aborted === 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('close', () => {
      if (response.writableFinished) return;
      this.aborted++;
      this.waiting.splice(0).forEach((resolve) => resolve());
    });
    const body = await buffer(request);
    const recorded: RecordedRequest = {
      method: request.method ?? '',
      url: request.url ?? '',
      rawHeaders: request.rawHeaders,
      headers: request.headers,
      body,
    };
    this.requests.push(recorded);
    await this.respond(response, recorded);
  }
}
