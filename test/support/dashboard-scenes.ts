/**
 * A caching proxy between the browser and the service: each distinct request reaches the service once, so that thousands of visits need
 * no database. It also plants the faults of a visit and figures of another size in the answers.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { DashboardAccount } from './dashboard-accounts.js';
import { canBeStruck, plantedBody, type Obstacle } from './dashboard-states.js';
import { urlOf } from './ports.js';

/** The conditions of the next visit. */
export interface Scene {
  readonly account: DashboardAccount;
  readonly obstacle?: Obstacle | undefined;
  /** For an account of another size: maps the requested address, and changes the answer. */
  readonly change?: Change | undefined;
}

export interface Change {
  readonly asked: (url: string) => string;
  readonly answered: (path: string, search: URLSearchParams, answer: unknown) => unknown;
}

interface Kept {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Headers that the browser does not get: of the connection, of the body's original length and encoding, and session cookies. */
const LEFT_OUT = ['connection', 'keep-alive', 'transfer-encoding', 'content-encoding', 'content-length', 'set-cookie'];
const PASSED_ON = ['accept', 'content-type', 'x-weir-background'];
/** Maximum random delay of an answer, so that answers arrive in any order and shifts caused by late ones show. */
const MAX_LATE_MS = 60;
const MINUTE_MS = 60_000;
const STEP_MINUTES = 10;
/** Earlier times are fixed ones, not relative ones such as "24 hours ago". */
const MAX_AGO_MINUTES = 400 * 24 * 60;

/** Answers of the service by account and request, for all servers of a run. */
export type Memory = Map<string, Promise<Kept>>;

export class SceneServer {
  private scene: Scene | undefined;

  private constructor(
    private readonly server: Server,
    private readonly service: string,
    private readonly memory: Memory,
    private readonly random: () => number,
  ) {}

  /** @param service the address of the service; `memory` may be shared */
  static async start(service: string, memory: Memory, random: () => number): Promise<SceneServer> {
    const server = createServer();
    const front = new SceneServer(server, service, memory, random);
    server.on('request', (request, response) => {
      front.answer(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return front;
  }

  get url(): string {
    return urlOf(this.server);
  }

  /** Applies from now on; the requests of the previous visit must have ended. */
  show(scene: Scene): void {
    this.scene = scene;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { scene } = this;
    if (scene === undefined) throw new Error('no visit has begun');
    const body = await text(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', this.service);
    if (canBeStruck(pathname)) {
      const late = this.random() * MAX_LATE_MS;
      await new Promise((resolve) => setTimeout(resolve, late));
      const plant = await scene.obstacle?.meet(pathname);
      if (plant === 'drop') {
        response.destroy();
        return;
      }
      if (plant !== undefined) {
        const { status, headers = {} } = plant;
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(plantedBody(status)));
        return;
      }
    }
    const kept = await this.remembered(request, body, scene);
    const isData = kept.status === 200 && kept.headers['content-type']?.startsWith('application/json') === true;
    const changed =
      scene.change === undefined || !isData
        ? kept.body
        : JSON.stringify(scene.change.answered(pathname, searchParams, JSON.parse(kept.body.toString()) as unknown));
    response.writeHead(kept.status, kept.headers);
    response.end(changed);
  }

  private remembered(request: IncomingMessage, body: string, { account, change }: Scene): Promise<Kept> {
    const { method = 'GET', headers } = request;
    const url = change?.asked(request.url ?? '/') ?? request.url ?? '/';
    const key = [account.email, method, headers.accept, withoutTimes(url), body].join(' ');
    const known = this.memory.get(key);
    if (known !== undefined) return known;
    const asked = this.ask(request, url, body, account);
    this.memory.set(key, asked);
    // Failed requests are not cached.
    asked.catch(() => this.memory.delete(key));
    return asked;
  }

  private async ask({ method, headers }: IncomingMessage, url: string, body: string, account: DashboardAccount) {
    const passed = PASSED_ON.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    });
    const answer = await fetch(`${this.service}${url}`, {
      method: method ?? 'GET',
      headers: {
        ...Object.fromEntries(passed),
        // Signing in ends the session of its cookie, and all other visits use this session.
        ...(url === '/auth/login' ? {} : { cookie: account.cookie }),
        'sec-fetch-site': 'same-origin',
      },
      redirect: 'manual',
      ...(body === '' ? {} : { body }),
    });
    const kept: Kept = {
      status: answer.status,
      headers: Object.fromEntries([...answer.headers].filter(([name]) => !LEFT_OUT.includes(name))),
      body: Buffer.from(await answer.arrayBuffer()),
    };
    return kept;
  }
}

/** Replaces times by their age, so that the same request a minute later has the same key. */
function withoutTimes(url: string): string {
  return decodeURIComponent(url).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => {
    const minutes = (Date.now() - Date.parse(time)) / MINUTE_MS;
    return minutes > MAX_AGO_MINUTES ? time : `${Math.round(minutes / STEP_MINUTES)} steps ago`;
  });
}
