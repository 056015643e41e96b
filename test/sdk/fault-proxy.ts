import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { RawUpstream, type RecordedRequest, type Respond } from '../support/raw-upstream.js';

/** A fault of the service; the clients in all languages are tested with the same list. */
export interface ServiceFault {
  readonly name: string;
  readonly manner?: 'silent' | 'cut' | 'garbage';
  readonly status?: number;
  readonly code?: string;
  /** The meaning for a call without a verdict: an outage triggers the fail mode, a refusal never does. */
  readonly before: 'outage' | 'refusal';
}

export const SERVICE_FAULTS = JSON.parse(
  readFileSync('test/matrix/service-faults.json', 'utf8'),
) as readonly ServiceFault[];

/** A proxy between a client and the real service, which forwards everything until a test sets a fault. */
export class FaultProxy {
  /** The fault of every request, while it is set. */
  fault: ServiceFault | undefined;
  /** Called when the service has judged a call, before the client gets the answer. */
  judged: (() => void) | undefined;

  private constructor(
    private readonly server: RawUpstream,
    private readonly serviceUrl: string,
  ) {
    server.answer((response, request) =>
      this.fault === undefined ? this.handOn(response, request) : fail(this.fault, response),
    );
  }

  static async start(serviceUrl: string): Promise<FaultProxy> {
    return new FaultProxy(await RawUpstream.start(), serviceUrl);
  }

  get url(): string {
    return this.server.url;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private handOn(...[response, request]: Parameters<Respond>): void {
    const { method, headers, url, body } = request;
    const asked = httpRequest(`${this.serviceUrl}${url}`, { method, headers }, (answer) => {
      if (isQuestion(request)) this.judged?.();
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => response.destroy()).pipe(response);
    });
    asked.on('error', () => response.destroy());
    asked.end(body);
  }
}

function isQuestion({ url }: RecordedRequest): boolean {
  return /^\/v1\/calls\/(?!answers)/.test(url);
}

function fail({ manner, status = 500, code }: ServiceFault, response: Parameters<Respond>[0]): void {
  switch (manner) {
    case 'silent':
      return;
    case 'cut':
      return void response.destroy();
    case 'garbage':
      return void response.socket?.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 0x16]));
    default: {
      const error = { message: 'Weir says no', type: code, code, trace_id: 'trace-1' };
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '3600' });
      response.end(JSON.stringify({ error }));
    }
  }
}
