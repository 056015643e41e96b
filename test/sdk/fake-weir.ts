import { randomUUID } from 'node:crypto';
import { RawUpstream, type RecordedRequest, type Respond } from '../support/raw-upstream.js';

/** A stub of Weir whose answers a test sets: for faults that the real service cannot produce on demand. */
export class FakeWeir {
  readonly asked: RecordedRequest[] = [];
  readonly reports: { readonly header: Record<string, unknown>; readonly body: string }[] = [];
  private verdict: Respond = allow();
  private acceptance: Respond | undefined;
  private expected: { readonly count: number; readonly arrived: () => void }[] = [];

  private constructor(private readonly server: RawUpstream) {
    server.answer((response, request) => {
      if (request.url === '/v1/calls/answers') return this.take(response, request);
      this.asked.push(request);
      return this.verdict(response, request);
    });
  }

  static async start(): Promise<FakeWeir> {
    return new FakeWeir(await RawUpstream.start());
  }

  get url(): string {
    return this.server.url;
  }

  /** Sets the answer to all further requests for a verdict. */
  answer(verdict: Respond): void {
    this.verdict = verdict;
  }

  /** Sets the answer to all further batches of reports; undefined accepts them. */
  answerReports(acceptance: Respond | undefined): void {
    this.acceptance = acceptance;
  }

  /** Resolves when this total number of reports has been accepted. */
  async untilReports(count: number): Promise<void> {
    if (this.reports.length < count) await new Promise<void>((arrived) => this.expected.push({ count, arrived }));
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private async take(...[response, request]: Parameters<Respond>): Promise<void> {
    if (this.acceptance !== undefined) return this.acceptance(response, request);
    const taken = itemsOf(request.body);
    // Like the service, which refuses a whole batch then.
    if (taken.some(isWithoutStatus)) return answerStatus(422, refusalBody('invalid_request'))(response, request);
    this.reports.push(...taken);
    const answers = taken.map(({ header }) => ({ call: header['call'], status: 200, event_id: 'e', violations: [] }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ answers }));
    for (const each of this.expected) if (this.reports.length >= each.count) each.arrived();
  }
}

export function allow(headers: Record<string, string> = {}): Respond {
  return (response) => {
    response.writeHead(204, {
      'x-weir-call': randomUUID(),
      'x-weir-event-id': 'event-1',
      'x-weir-decision': 'allow',
      ...headers,
    });
    response.end();
  };
}

export function redact(body: string, headers: Record<string, string> = {}): Respond {
  return (response) => {
    response.writeHead(200, {
      'x-weir-call': randomUUID(),
      'x-weir-event-id': 'event-1',
      'x-weir-decision': 'redact',
      'x-weir-redactions': 'EMAIL=1',
      ...headers,
    });
    response.end(body);
  };
}

export function answerStatus(status: number, body: unknown, headers: Record<string, string> = {}): Respond {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** The body of a refusal in Weir's format for OpenAI's clients. */
export function refusalBody(code: string, more: object = {}): object {
  return { error: { message: `Refused: ${code}`, type: 'api_error', param: null, code, weir: { code, ...more } } };
}

/** Whether an answer, or its beginning, is reported without the provider's status. */
function isWithoutStatus({ header }: { readonly header: Record<string, unknown> }): boolean {
  return header['status'] === undefined && ['complete', 'aborted'].includes(String(header['ended']));
}

function itemsOf(body: Buffer): { header: Record<string, unknown>; body: string }[] {
  const items: { header: Record<string, unknown>; body: string }[] = [];
  for (let at = 0; at < body.length;) {
    const end = body.indexOf(10, at);
    const header = JSON.parse(body.subarray(at, end).toString()) as Record<string, unknown>;
    const length = header['length'] as number;
    items.push({ header, body: body.subarray(end + 1, end + 1 + length).toString() });
    at = end + 1 + length + 1;
  }
  return items;
}
