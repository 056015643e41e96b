import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { remote } from '../../plugins/remote/remote.js';
import {
  bindDetectors,
  compilePolicy,
  decodeRequest,
  parseJson,
  runScan,
  type BoundDetector,
  type CallContext,
  type PluginCatalog,
  type Segment,
} from '../../src/core/index.js';
import { JudgementService } from '../../src/judgement/index.js';
import { RemoteScanner, type RemoteEvent } from '../../src/judgement/remote-scan.js';
import { urlOf } from '../support/ports.js';

type Answer = (body: string, response: ServerResponse, request: IncomingMessage) => void;
const json =
  (value: unknown, status = 200): Answer =>
  (_body, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const found = json({ findings: [{ index: 0, code: 'NAME', start: 0, end: 3 }] });
const silent: Answer = () => undefined;

/** A local service that gives the configured answers in order, and then repeats the last one. */
class Service {
  readonly requests: { url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  answers: Answer[] = [found];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts).toString();
        this.requests.push({ url: request.url!, headers: request.headers, body });
        const answer = this.answers.length > 1 ? this.answers.shift()! : this.answers[0]!;
        answer(body, response, request);
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
    return urlOf(this.server);
  }

  stop(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((closed) => this.server.close(closed));
  }
}

const segments = (...texts: readonly string[]): Segment[] =>
  texts.map((text, index) => ({ path: `messages[${index}].content`, role: 'user', text, ref: index }));

function names(options: object = {}, timeoutMs = 5_000): BoundDetector {
  const binding = {
    key: 'names',
    plugin: 'remote',
    version: '1.0.0',
    revision: 1,
    options: remote.meta.options.parse({ service: 'svc', format: 'webhook', entities: ['NAME'], ...options }),
    codes: ['NAME'],
    minScore: {},
    timeoutMs,
  };
  return bindDetectors({ detectors: [binding] }, { detectors: [remote], structures: [], ledgers: [] })[0]!;
}

describe('Remote detectors', () => {
  const service = new Service();
  let baseUrl = '';
  let nowMs = 0;
  let events: [RemoteEvent, string][] = [];
  let scanner: RemoteScanner;
  const scannerWith = (more: { token?: string; baseUrl?: string } = {}): RemoteScanner =>
    new RemoteScanner({
      services: [{ name: 'svc', baseUrl, ...more }],
      nowMs: () => nowMs,
      random: () => 0,
      breaker: { failures: 3, openMs: 10_000 },
      onEvent: (event, name) => void events.push([event, name]),
    });
  const scan = async (texts: readonly Segment[], detector = names(), by = scanner) => {
    const [outcome] = await runScan([detector], texts, {
      nowMs: () => 0,
      deadlineMs: 60_000,
      askRemote: (bound, all, timeoutMs) => by.scan(bound, all, timeoutMs),
    });
    return outcome!;
  };

  beforeAll(async () => void (baseUrl = await service.start()));
  afterAll(() => service.stop());
  beforeEach(() => {
    service.requests.length = 0;
    service.answers = [found];
    nowMs = 0;
    events = [];
    scanner = scannerWith();
  });
  afterEach(() => scanner.onApplicationShutdown());

  it('report the findings of their service with the segment of each', async () => {
    service.answers = [json({ findings: [{ index: 1, code: 'NAME', start: 0, end: 3, score: 0.8 }] })];
    expect(await scan(segments('hello', 'Ann'))).toEqual({
      detector: 'names',
      plugin: 'remote',
      revision: 1,
      status: 'scanned',
      findings: [{ detector: 'names', segment: 1, code: 'NAME', start: 0, end: 3, score: 0.8 }],
    });
  });

  it('send a text only once if it is in several segments', async () => {
    const outcome = await scan(segments('Ann', 'Ann'));
    expect(JSON.parse(service.requests[0]!.body)).toEqual({ texts: [{ index: 0, text: 'Ann', role: 'user' }] });
    expect(outcome).toMatchObject({ findings: [{ segment: 0 }, { segment: 1 }] });
  });

  it('send the credential of the settings, and only to the address of the settings', async () => {
    const own = scannerWith({ token: 'to' + 'ken-1', baseUrl: `${baseUrl}/prefix` });
    await scan(segments('Ann'), names({ path: '/find' }), own);
    expect(service.requests).toMatchObject([
      { url: '/prefix/find', headers: { authorization: 'Bearer to' + 'ken-1' } },
    ]);
    await own.onApplicationShutdown();
  });

  it('fail if the settings do not define their service', async () => {
    expect(await scan(segments('Ann'), names({ service: 'other' }))).toMatchObject({
      status: 'failed',
      reason: 'not_run',
    });
    expect(events).toEqual([['unknown_service', 'other']]);
    expect(service.requests).toEqual([]);
  });

  it('fail if the host does not send their requests', async () => {
    const [outcome] = await runScan([names()], segments('Ann'), { nowMs: () => 0, deadlineMs: 1_000 });
    expect(outcome).toMatchObject({ status: 'failed', reason: 'not_run' });
  });

  it('fail with a timeout if the service is slow', async () => {
    service.answers = [silent];
    expect(await scan(segments('Ann'), names({}, 50))).toMatchObject({ status: 'failed', reason: 'timeout' });
  });

  it('retry after a server error, and after a broken connection', async () => {
    service.answers = [json({}, 503), (_body, response) => void response.destroy(), found];
    expect(await scan(segments('Ann'))).toMatchObject({ status: 'scanned', findings: [{ code: 'NAME' }] });
    expect(service.requests).toHaveLength(3);
  });

  it('give up after three attempts', async () => {
    service.answers = [json({}, 500)];
    expect(await scan(segments('Ann'))).toMatchObject({ status: 'failed', reason: 'failed' });
    expect(service.requests).toHaveLength(3);
  });

  it.each<[string, Answer]>([
    ['no JSON', (_body, response) => void response.end('<html>')],
    ['of another shape', json({ results: [] })],
    ['about characters outside the text', json({ findings: [{ index: 0, code: 'NAME', start: 0, end: 99 }] })],
    ['a refusal', json({ error: 'bad request' }, 400)],
    ['a redirect', (_body, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['too large', (_body, response) => void response.end(`{"findings":[],"x":"${'x'.repeat(5 * 1024 * 1024)}"}`)],
  ])('fail without a retry if the answer is %s', async (_what, answer) => {
    service.answers = [answer];
    expect(await scan(segments('Ann'))).toMatchObject({ status: 'failed', reason: 'failed' });
    expect(service.requests).toHaveLength(1);
    expect(events).toContainEqual(['answer_refused', 'svc']);
  });

  it('stop calling a service that keeps failing, and retry it later', async () => {
    service.answers = [json({}, 500)];
    await scan(segments('Ann'));
    expect(events).toEqual([['breaker_opened', 'svc']]);
    service.answers = [found];
    service.requests.length = 0;
    expect(await scan(segments('Ann'))).toMatchObject({ status: 'failed', reason: 'not_run' });
    nowMs = 9_999;
    expect(await scan(segments('Ann'))).toMatchObject({ status: 'failed', reason: 'not_run' });
    expect(service.requests).toEqual([]);
    nowMs = 10_000;
    expect(await scan(segments('Ann'))).toMatchObject({ status: 'scanned' });
    expect(events.at(-1)).toEqual(['breaker_closed', 'svc']);
    expect(await scan(segments('Ann'))).toMatchObject({ status: 'scanned' });
  });

  it('stop calling a failing service for the same time again if the single retry fails', async () => {
    service.answers = [json({}, 500)];
    await scan(segments('Ann'));
    nowMs = 10_000;
    service.requests.length = 0;
    expect(await scan(segments('Ann'))).toMatchObject({ status: 'failed' });
    expect(service.requests).toHaveLength(1);
    nowMs = 19_999;
    expect(await scan(segments('Ann'))).toMatchObject({ reason: 'not_run' });
  });

  it('continue to call a service that refuses a single text', async () => {
    service.answers = [json({}, 413)];
    for (let call = 0; call < 5; call++) await scan(segments('Ann'));
    service.answers = [found];
    expect(await scan(segments('Ann'))).toMatchObject({ status: 'scanned' });
  });

  it('do not count short timeouts of a caller as failures of the service', async () => {
    service.answers = [silent];
    for (let call = 0; call < 4; call++) await scan(segments('Ann'), names({}, 20));
    service.answers = [found];
    expect(await scan(segments('Ann'))).toMatchObject({ status: 'scanned' });
    expect(events).toEqual([]);
  });

  it('run while local detectors run, and keep their position among the outcomes', async () => {
    const local: BoundDetector = { ...names(), binding: { ...names().binding, key: 'local' }, scan: () => [] };
    const { remote: _unused, ...withoutService } = local;
    const outcomes = await runScan([withoutService, names(), withoutService], segments('Ann'), {
      nowMs: () => 0,
      deadlineMs: 60_000,
      askRemote: (bound, all, timeoutMs) => scanner.scan(bound, all, timeoutMs),
    });
    expect(outcomes.map(({ detector, status }) => [detector, status])).toEqual([
      ['local', 'scanned'],
      ['names', 'scanned'],
      ['local', 'scanned'],
    ]);
  });

  it('scan many texts with few concurrent requests', async () => {
    let running = 0;
    let most = 0;
    service.answers = [
      (_body, response) => {
        most = Math.max(most, ++running);
        setImmediate(() => {
          running--;
          json({ findings: [] })('', response, response.req);
        });
      },
    ];
    const outcome = await scan(
      segments(...Array.from({ length: 100 }, (_, index) => `text ${index}`)),
      names({ batch: 2 }),
    );
    expect(outcome).toMatchObject({ status: 'scanned', findings: [] });
    expect(service.requests).toHaveLength(50);
    expect(most).toBeLessThanOrEqual(8);
  });

  describe('in a judgement', () => {
    const plugins: PluginCatalog = { detectors: [remote], structures: [], ledgers: [] };
    const text = `
apiVersion: weir/v1
kind: Policy
metadata: { id: test, owner: test@acme.example }
environment: production
default: allow
stages: { pre: { deadline_ms: 5000 } }
detectors:
  names: { plugin: remote@^1, service: svc, format: webhook, entities: [NAME], timeout_ms: 4000 }
rules:
  - id: names.redact
    title: No names
    stage: pre
    severity: high
    when: { all: [{ names.count: { gt: 0 } }] }
    then: { action: redact, redact: { entities: [NAME] } }
    on_unknown: match
`;
    const context: CallContext = {
      environment: 'production',
      declaredEnvironment: 'production',
      app: { id: 'a', name: 'a' },
      key: { id: 'k', name: 'k' },
    };
    const judge = () => {
      const { policy, problems } = compilePolicy({
        environment: 'production',
        files: [{ path: 'production/policy.yaml', text }],
        plugins,
      });
      expect(problems).toEqual([]);
      const active = {
        policy: policy!,
        digest: '',
        version: '',
        detectors: bindDetectors(policy!, plugins),
        structures: [],
      };
      const call = decodeRequest('openai.chat', parseJson('{"messages":[{"role":"user","content":"Ann"}]}'));
      const judgement = new JudgementService({ nowMs: () => 0, monotonicMs: () => 0 }, scanner);
      return judgement.judge({
        policy: active,
        accountId: 'account-1',
        context,
        call,
        kind: 'request',
        enforceable: true,
        monitorRequested: false,
      });
    };

    it('decide like any other detector', async () => {
      expect(await judge()).toMatchObject({
        action: 'redact',
        violations: [{ rule: 'names.redact', locations: ['messages[0].content'] }],
        edits: [{ start: 0, end: 3 }],
      });
    });

    it('cause an outage that blocks the call if their service is down', async () => {
      service.answers = [json({}, 500)];
      expect(await judge()).toMatchObject({ action: 'block', unavailable: true, missing: ['names'], violations: [] });
    });
  });
});
