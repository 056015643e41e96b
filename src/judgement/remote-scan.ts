import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import {
  parseJson,
  RemoteAnswerError,
  type BoundRemote,
  type Finding,
  type JsonValue,
  type RemoteRequest,
  type RemoteResult,
  type RemoteText,
  type Segment,
} from '../core/index.js';
import type { RemoteDetectorConfig } from '../config/index.js';
import { AccountPlaces } from '../overload/index.js';
import { AccountBreakers, NAMES, type BreakerLimits } from '../resilience/index.js';

/** An event of a remote service for the log: names only. */
export type RemoteEvent = 'unknown_service' | 'breaker_opened' | 'breaker_closed' | 'answer_refused';

export interface RemoteScannerOptions {
  readonly services: readonly RemoteDetectorConfig[];
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** From 0 up to 1. */
  random(): number;
  readonly breaker?: BreakerLimits;
  readonly onEvent?: (event: RemoteEvent, service: string, accountId: string) => void;
}

const BREAKER: BreakerLimits = { failures: 5, openMs: 10_000 };
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Maximum number of concurrent requests of one call to one service. */
const IN_FLIGHT = 8;
/** Maximum number of concurrent requests to one address, in total and per account, so that no account uses all connections. */
const PLACES = { all: 96, ofAccount: 64 };
const CONNECT_MS = 10_000;
const ATTEMPTS = 3;
/** The n-th pause is this value times 2^(n - 1), times 0.5 to 1. */
const PAUSE_MS = 50;
/** If a request had less time than this before its deadline, a timeout does not count as a failure of the service. */
const PATIENCE_MS = 100;

/** A failure that may pass soon, so another attempt is made. */
class Transient extends Error {}
/** The service was not asked: its breaker is open, or it is missing from the settings. */
class NotAsked extends Error {}

interface Target {
  readonly service: RemoteDetectorConfig;
  readonly breakers: AccountBreakers;
  readonly places: AccountPlaces;
}

/** A service on behalf of one account. */
interface AccountTarget extends Target {
  readonly accountId: string;
}

/**
 * Asks the services of remote detectors over HTTP: within a deadline, with a few attempts, no redirects, answers of
 * limited size, and a breaker per service and account. Every failure is an outcome; requests and answers are never logged.
 */
export class RemoteScanner {
  private readonly agent = new Agent({
    connections: PLACES.all,
    pipelining: 1,
    connect: { timeout: CONNECT_MS, lookup: NAMES.services.lookup(CONNECT_MS) },
  });
  private readonly targets: ReadonlyMap<string, Target>;

  constructor(private readonly options: RemoteScannerOptions) {
    const placesOf = new Map<string, AccountPlaces>();
    this.targets = new Map(
      options.services.map((service) => {
        const { origin } = new URL(service.baseUrl);
        const places = placesOf.get(origin) ?? new AccountPlaces(PLACES);
        placesOf.set(origin, places);
        const breakers = new AccountBreakers(options.breaker ?? BREAKER, () => options.nowMs());
        return [service.name, { service, breakers, places }];
      }),
    );
  }

  /**
   * Never rejects. Segments with the same text, role and key are asked about once.
   *
   * @param accountId the account whose texts they are; a process of a single user needs none
   */
  async scan(
    remote: BoundRemote,
    segments: readonly Segment[],
    timeoutMs: number,
    accountId = '',
  ): Promise<RemoteResult> {
    const signal = AbortSignal.timeout(Math.max(1, Math.min(timeoutMs, 2 ** 31 - 1)));
    try {
      const target = this.targetOf(remote.service, accountId);
      const { texts, textOf } = distinct(segments);
      const findings: (readonly Finding[])[] = texts.map(() => []);
      await inParallel(remote.requests(texts), IN_FLIGHT, async (request) => {
        const about = request.texts.map((index) => texts[index]!);
        const found = await this.ask(target, request, (answer) => remote.read(answer, about), signal);
        request.texts.forEach((index, position) => (findings[index] = found[position]!));
      });
      return { status: 'scanned', findings: textOf.map((index) => findings[index]!) };
    } catch (error) {
      if (signal.aborted) return { status: 'failed', reason: 'timeout' };
      return { status: 'failed', reason: error instanceof NotAsked ? 'not_run' : 'failed' };
    }
  }

  /** Called by Nest when the application ends; pending answers still arrive. */
  onApplicationShutdown(): Promise<void> {
    return this.agent.close();
  }

  private targetOf(name: string, accountId: string): AccountTarget {
    const target = this.targets.get(name);
    if (target !== undefined) return { ...target, accountId };
    this.options.onEvent?.('unknown_service', name, accountId);
    throw new NotAsked();
  }

  private async ask<Result>(
    target: AccountTarget,
    request: RemoteRequest,
    read: (answer: JsonValue) => Result,
    signal: AbortSignal,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(target, request, read, signal);
      } catch (error) {
        if (!(error instanceof Transient) || attempt === ATTEMPTS || signal.aborted) throw error;
        await sleep(PAUSE_MS * 2 ** (attempt - 1) * (0.5 + this.options.random() / 2), undefined, { signal });
      }
    }
  }

  /** Sends one request. A missed deadline counts as a failure of the service, unless the time was too short or the request was not sent. */
  private async attempt<Result>(
    target: AccountTarget,
    request: RemoteRequest,
    read: (answer: JsonValue) => Result,
    signal: AbortSignal,
  ): Promise<Result> {
    const { service, breakers, places, accountId } = target;
    if (!breakers.admit(accountId)) throw new NotAsked();
    const leave = await places.enter(accountId, signal).catch((error: unknown) => {
      breakers.gaveUp(accountId);
      throw error;
    });
    const startedMs = this.options.nowMs();
    try {
      const result = read(await this.send(service, request, signal));
      this.heardFrom(target);
      return result;
    } catch (error) {
      if (error instanceof RemoteAnswerError) {
        // The service answered: refusing one text must not open its breaker.
        this.heardFrom(target);
        this.options.onEvent?.('answer_refused', service.name, accountId);
      } else if (signal.aborted && this.options.nowMs() - startedMs < PATIENCE_MS) breakers.gaveUp(accountId);
      else if (breakers.failed(accountId)) this.options.onEvent?.('breaker_opened', service.name, accountId);
      throw error;
    } finally {
      leave();
    }
  }

  private heardFrom({ service, breakers, accountId }: AccountTarget): void {
    if (breakers.succeeded(accountId)) this.options.onEvent?.('breaker_closed', service.name, accountId);
  }

  private async send(service: RemoteDetectorConfig, request: RemoteRequest, signal: AbortSignal): Promise<JsonValue> {
    const base = new URL(service.baseUrl);
    const answer = await this.agent
      .request({
        origin: base.origin,
        path: base.pathname.replace(/\/$/, '') + request.path,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(service.token === undefined ? {} : { authorization: `Bearer ${service.token}` }),
        },
        body: JSON.stringify(request.body),
        signal,
      })
      .catch((error: unknown) => {
        throw signal.aborted ? error : new Transient();
      });
    const text = await readLimited(answer.body, signal);
    if (answer.statusCode === 200) return parseAnswer(text);
    if (answer.statusCode >= 500 || answer.statusCode === 429) throw new Transient();
    throw new RemoteAnswerError('the service refused the request');
  }
}

/** Stops reading and closes the connection when an answer is too large. */
async function readLimited(body: AsyncIterable<Buffer>, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of body) {
      bytes += part.length;
      if (bytes > MAX_ANSWER_BYTES) throw new RemoteAnswerError('the answer is too large');
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof RemoteAnswerError || signal.aborted) throw error;
    throw new Transient();
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseAnswer(text: string): JsonValue {
  try {
    return parseJson(text).value;
  } catch {
    throw new RemoteAnswerError('the answer is not JSON');
  }
}

/** Each distinct text once, and the index of its text for every segment. */
function distinct(segments: readonly Segment[]): { texts: RemoteText[]; textOf: number[] } {
  const known = new Map<string, number>();
  const texts: RemoteText[] = [];
  const textOf = segments.map(({ text, role, key }) => {
    const identity = JSON.stringify([text, role, key]);
    let index = known.get(identity);
    if (index === undefined) {
      index = texts.push({ text, role, ...(key === undefined ? {} : { key }) }) - 1;
      known.set(identity, index);
    }
    return index;
  });
  return { texts, textOf };
}

/** Runs `work` for every item, at most `width` at a time. Stops taking items at the first failure, and rejects with it. */
async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next++]!;
      try {
        await work(item);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
}
