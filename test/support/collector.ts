import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { urlOf } from './ports.js';

/** An attribute of a span or of a log line. */
interface OtlpAttribute {
  readonly key: string;
  readonly value: Record<string, unknown>;
}

export interface OtlpSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly OtlpAttribute[];
}

export interface OtlpLine {
  readonly severityText: string;
  readonly body: { readonly stringValue: string };
  readonly traceId?: string;
  readonly spanId?: string;
  readonly attributes: readonly OtlpAttribute[];
}

/** The raw value of an attribute. */
export const valueOf = ({ attributes }: Pick<OtlpSpan, 'attributes'>, key: string): unknown =>
  Object.values(attributes.find((attribute) => attribute.key === key)?.value ?? {})[0];

/** A stand-in for an OpenTelemetry collector: accepts OTLP over HTTP and keeps every byte. */
export class Collector {
  private constructor(
    private readonly server: Server,
    readonly bodies: { readonly path: string; readonly body: string; readonly head: string }[],
  ) {}

  static async start(): Promise<Collector> {
    const bodies: { path: string; body: string; head: string }[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        bodies.push({ path: request.url ?? '', body, head: request.rawHeaders.join('\n') });
        response.setHeader('content-type', 'application/json').end('{}');
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new Collector(server, bodies);
  }

  get url(): string {
    return urlOf(this.server);
  }

  spans(): OtlpSpan[] {
    return this.bodies
      .filter(({ path }) => path === '/v1/traces')
      .flatMap(({ body }) => JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] })
      .flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      );
  }

  lines(): OtlpLine[] {
    return this.bodies
      .filter(({ path }) => path === '/v1/logs')
      .flatMap(({ body }) => JSON.parse(body) as { resourceLogs: { scopeLogs: { logRecords: OtlpLine[] }[] }[] })
      .flatMap(({ resourceLogs }) =>
        resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)),
      );
  }

  /** Headers and bodies of all requests so far. */
  get contents(): string {
    return this.bodies.map(({ head, body }) => `${head}\n${body}`).join('\n');
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
