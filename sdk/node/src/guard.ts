import {
  rememberAnswer,
  rememberFirstId,
  rememberLastId,
  rememberObject,
  refusalOfBody,
  type WeirInfo,
} from './call-info.js';
import { annotationsOf, type Annotations } from './annotations.js';
import { ask, type Admission, type Refused } from './admission.js';
import type { Violation } from './errors.js';
import type { Settings } from './options.js';
import { initOf, readOutgoing, type FetchInput, type Outgoing, type OutgoingBody } from './outgoing.js';
import { proxiedCall } from './proxied.js';
import { cannedAnswer, inDialect, refusal } from './refusal.js';
import type { Report } from './report.js';
import { quietTimer } from './runtime.js';
import { isOfWeir, proxyRouteOf, routeOf, type Route } from './routes.js';
import { tapped } from './tap.js';
import { rememberGuardedHost } from './unguarded.js';
import type { Weir } from './weir-client.js';

export interface GuardOptions {
  readonly weir: Weir;
  /** The provider's id in Weir, if the kind of client determines it. */
  readonly provider?: string | undefined;
  /** Whether the request is signed after the guard, so that its body may change. Otherwise an existing signature must stay valid. */
  readonly signedLater?: boolean;
  /** Sends a request to Weir itself, such as one that another guarded client makes; by default like any other request. */
  readonly toWeir?: Send;
}

/** Sends a request. The content is that of its body, as Weir has judged it. */
export type Send = (url: string, init: RequestInit, content: OutgoingBody['content']) => Promise<Response>;

/**
 * Asks Weir about one request of a client, sends or refuses it, and reports the answer.
 *
 * @param send the function that the client would have called itself
 * @returns the provider's answer, or a refusal in the provider's format
 */
export async function guardedCall(
  { weir, provider: known, signedLater = false, toWeir }: GuardOptions,
  send: Send,
  input: FetchInput,
  init?: RequestInit,
): Promise<Response> {
  const { settings } = weir;
  const outgoing = await readOutgoing(input, init);
  const url = urlOf(outgoing.url);
  const route = routeOf(url, known ?? settings.provider);
  if (isOfWeir(url, settings.baseUrl)) {
    const through = providerNeedingKey(weir, url, outgoing);
    if (through === undefined) return sendUnchanged(outgoing, toWeir ?? send);
    return new Call(weir, through, outgoing).throughProxy(url, send);
  }
  if (isFree(outgoing, url, route, settings)) return sendUnchanged(outgoing, send);
  if (route.provider === undefined) {
    return outgoing.body.content === null ? sendUnchanged(outgoing, send) : unknownProvider(weir, url);
  }
  rememberGuardedHost(url.host);
  const call = new Call(weir, route.provider, outgoing);
  if (settings.via === 'proxy') return call.throughProxy(url, send);
  if (outgoing.body.content === undefined) return call.unreadable();
  return call.askFirst(route, signedLater, send);
}

function sendUnchanged(outgoing: Outgoing, send: Send): Promise<Response> {
  return send(outgoing.url, initOf(outgoing), outgoing.body.content);
}

/**
 * The provider of a request to Weir's proxy that has no service key yet: Weir names such addresses in its answers, for example for the
 * pieces of an upload, and the client does not know that they need a key.
 */
function providerNeedingKey({ settings }: Weir, url: URL, { headers }: Outgoing): string | undefined {
  if (settings.via !== 'proxy' || headers.has('x-service-key')) return undefined;
  return proxyRouteOf(url, settings.baseUrl)?.provider;
}

/**
 * Whether a request passes without Weir: a client that fetches its own credential, a `data:` URL, and a look-up by id, which has no text to
 * judge. Through the proxy, look-ups are sent as well, because their answers have texts.
 */
function isFree({ body }: Outgoing, { protocol }: URL, route: Route, { via }: Settings): boolean {
  if (route.isTokenRoute) return true;
  if (body.content !== null) return false;
  return !/^https?:$/.test(protocol) || (via === 'calls' && !route.holdsWords);
}

/** Refuses a request whose provider is unknown, whatever `unknownRoutes` is: the format of its body is then unknown as well. */
function unknownProvider(weir: Weir, url: URL): Response {
  weir.count('refused');
  const message = `Weir does not know the provider behind ${url.host}: set the option "provider"`;
  return refusal(undefined, 'unknown_route', message);
}

class Call {
  private readonly settings: Settings;

  constructor(
    private readonly weir: Weir,
    private readonly provider: string,
    private readonly outgoing: Outgoing,
  ) {
    this.settings = weir.settings;
  }

  async askFirst(route: Route, signedLater: boolean, send: Send): Promise<Response> {
    const { outgoing, settings, weir } = this;
    const { headers, body, signal, method } = outgoing;
    weir.count('asked');
    const verdict = await ask(settings, {
      provider: this.provider,
      path: route.path,
      method,
      body: body.content ?? null,
      contentType:
        headers.get('content-type') ??
        body.type ??
        (typeof body.content === 'string' ? 'text/plain;charset=UTF-8' : null),
      contentEncoding: headers.get('content-encoding'),
      annotations: this.annotations(),
      signal,
    });
    switch (verdict.kind) {
      case 'refused':
        return this.refused(verdict, signedLater);
      case 'unavailable':
        return this.unavailable(verdict.why, verdict.response, () => sendUnchanged(outgoing, send));
      case 'admitted':
        return this.admitted(verdict, route, signedLater, send);
    }
  }

  throughProxy(url: URL, send: Send): Promise<Response> {
    const { weir, provider, outgoing } = this;
    return proxiedCall({ weir, provider, outgoing, annotations: this.annotations() }, url, (target, init) =>
      send(target, init, outgoing.body.content),
    );
  }

  /** A body that Weir cannot read is no outage, so it is refused whatever `failMode` is. */
  unreadable(): Response {
    this.weir.count('refused');
    return refusal(this.provider, 'unreadable_body', 'Weir cannot read the body of this request, so it was not sent');
  }

  /** @param asError for cloud clients that sign: they expect answers in another format than their provider's own */
  private async refused({ response, body }: Refused, asError: boolean): Promise<Response> {
    this.weir.count('refused');
    const info = refusalOfBody(body) ?? {};
    const canned = asError ? undefined : cannedAnswer(response, body);
    if (canned !== undefined) {
      rememberAnswer(canned.response, this.outgoing.signal, info);
      rememberFirstId(canned.bytes, info);
      return canned.response;
    }
    const own = (body as { error: { trace_id?: unknown; message?: unknown } }).error;
    const answer =
      own.trace_id === undefined
        ? response
        : inDialect(this.provider, response, info.code ?? 'not_found', String(own.message));
    rememberObject(answer, info);
    return answer;
  }

  private unavailable(
    why: string,
    said: Response | undefined,
    pass: () => Promise<Response>,
  ): Promise<Response> | Response {
    const { settings, weir, provider } = this;
    if (settings.failMode === 'open') {
      weir.count('passedOpen');
      settings.warn(`Weir ${why}: requests are sent without being judged, because failMode is 'open'`);
      return pass();
    }
    weir.count('unavailable');
    return said ?? refusal(provider, 'guardrail_unavailable', `Weir ${why}, so this request was not sent`);
  }

  private async admitted(admission: Admission, route: Route, signedLater: boolean, send: Send): Promise<Response> {
    const { outgoing, settings, weir, provider } = this;
    const stop = (code: 'unknown_route' | 'unreadable_body', message: string): Response => {
      weir.count('refused');
      void this.reportEnd(admission, { ended: 'unsent' });
      return refusal(provider, code, message);
    };
    if (!admission.governed && settings.unknownRoutes === 'refuse' && outgoing.body.content !== null) {
      const path = route.path.split('?', 1)[0]!;
      return stop(
        'unknown_route',
        `Weir does not govern ${isWordless(path) ? path : 'this route'}, and unknownRoutes is 'refuse'`,
      );
    }
    if (admission.body !== undefined && !signedLater && isSigned(outgoing.headers)) {
      return stop(
        'unreadable_body',
        'Weir has to change this request, which would break its signature: guard the client that signs it',
      );
    }
    weir.count(admission.decision === 'redact' ? 'redacted' : 'allowed');
    const startedMs = performance.now();
    const answered = deferred<readonly Violation[] | undefined>();
    const { eventId, decision, redactions } = admission;
    const info: WeirInfo = {
      ...(eventId === undefined ? {} : { eventId }),
      decision,
      ...(redactions.length === 0 ? {} : { redactions }),
      answered: answered.promise,
    };
    let response: Response;
    try {
      response = await send(outgoing.url, initOf(outgoing, admission.body), admission.body ?? outgoing.body.content);
    } catch (error) {
      const own = outgoing.signal?.aborted === true;
      const cause = own ? ('upstream_timeout' as const) : ('upstream_unreachable' as const);
      answered.resolve(
        this.reportEnd(admission, { ended: 'error', error: cause, latencyMs: performance.now() - startedMs }),
      );
      throw error;
    }
    return this.answered(response, info, (ended, body) => {
      const reported = this.reportEnd(admission, {
        ended,
        body,
        status: response.status,
        contentType: response.headers.get('content-type') ?? undefined,
        latencyMs: performance.now() - startedMs,
      });
      answered.resolve(reported);
      return settings.report === 'await' ? within(reported, settings.flushTimeoutMs) : undefined;
    });
  }

  private answered(
    response: Response,
    info: WeirInfo,
    onEnd: (ended: Report['ended'], body: Uint8Array<ArrayBuffer>) => Promise<unknown> | undefined,
  ): Response {
    const result = tapped(response, {
      maxBytes: this.settings.reportMaxBytes,
      signal: this.outgoing.signal,
      onStart: (first) => rememberFirstId(first, info),
      onEnd: ({ ended, body }) => {
        if (this.provider === 'gemini') rememberLastId(body, info);
        return onEnd(ended, body);
      },
    });
    rememberAnswer(result, this.outgoing.signal, info);
    return result;
  }

  private reportEnd(
    { callId }: Admission,
    { ended, body = new Uint8Array(0), status, contentType, error, latencyMs }: Partial<Report> & Pick<Report, 'ended'>,
  ): Promise<readonly Violation[] | undefined> {
    return this.weir.report({
      callId,
      status,
      contentType,
      ended,
      ...(error === undefined ? {} : { error }),
      latencyMs: latencyMs === undefined ? undefined : Math.round(latencyMs * 10) / 10,
      body,
    });
  }

  annotations(): Annotations {
    const { headers } = this.outgoing;
    const retries = Number(headers.get('x-stainless-retry-count') ?? 0);
    return annotationsOf(this.settings, {
      metadata: retries > 0 ? { attempt: retries + 1 } : {},
      session: headers.get('x-claude-code-session-id') ?? undefined,
      requestId: headers.get('x-request-id') ?? undefined,
    });
  }
}

function urlOf(url: string): URL {
  try {
    return new URL(url);
  } catch {
    return new URL(url, (globalThis as { location?: { href: string } }).location?.href ?? 'http://localhost');
  }
}

/** Whether the headers contain an AWS signature, version 4. */
function isSigned(headers: Headers): boolean {
  return /^AWS4-/i.test(headers.get('authorization') ?? '');
}

function isWordless(path: string): boolean {
  return /^[a-z0-9_/.:-]{1,100}$/i.test(path) && !/\d{5}/.test(path);
}

function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T | PromiseLike<T>): void } {
  let resolve!: (value: T | PromiseLike<T>) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

function within(work: Promise<unknown>, limitMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const cancel = quietTimer(() => resolve(undefined), limitMs);
    void work.then((value) => {
      cancel();
      resolve(value);
    });
  });
}
