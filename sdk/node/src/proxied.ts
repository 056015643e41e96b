import { annotationHeaders, type Annotations } from './annotations.js';
import { rememberAnswer, rememberFirstId, type WeirInfo } from './call-info.js';
import type { Settings } from './options.js';
import { initOf, type Outgoing } from './outgoing.js';
import { refusal } from './refusal.js';
import { proxyRouteOf } from './routes.js';
import { fetchStraight, quietTimer } from './runtime.js';
import { tapped } from './tap.js';
import type { Weir } from './weir-client.js';

/** The parts of a call that are needed to send it through the proxy. */
export interface ProxiedCall {
  readonly weir: Weir;
  readonly provider: string;
  readonly outgoing: Outgoing;
  readonly annotations: Annotations;
}

/**
 * Sends the same request to Weir's proxy, with the service key. A call may take as long as the provider does: the deadline does not
 * limit it. It is aborted only if Weir itself does not respond within the deadline. A call is never retried, because the provider may
 * already have the request.
 */
export async function proxiedCall(
  { weir, provider, outgoing, annotations }: ProxiedCall,
  url: URL,
  send: (url: string, init: RequestInit) => Promise<Response>,
): Promise<Response> {
  const { settings } = weir;
  const init = initOf(outgoing);
  weir.count('asked');
  const headers = init.headers as Headers;
  headers.set('x-service-key', settings.apiKey);
  for (const [name, value] of Object.entries(annotationHeaders(annotations))) headers.set(name, value);
  const watch = new Watch(settings, outgoing.signal);
  try {
    const known = proxyRouteOf(url, settings.baseUrl);
    const path = known?.provider === provider ? known.path : url.pathname;
    const target = `${settings.baseUrl}/proxy/${provider}${path}${url.search}`;
    // The keys and the prompt must reach only Weir, which never redirects.
    const response = await send(target, { ...init, redirect: 'manual', signal: watch.signal });
    if (isRedirect(response)) {
      await response.body?.cancel();
      watch.end();
      weir.count('unavailable');
      return refusal(provider, 'guardrail_unavailable', REDIRECTED);
    }
    const info = infoOf(response);
    const result = tapped(response, {
      maxBytes: 0,
      onStart: (first) => info && rememberFirstId(first, info),
      onEnd: () => watch.end(),
    });
    if (info !== undefined) {
      weir.count(info.decision === 'block' ? 'refused' : info.decision === 'redact' ? 'redacted' : 'allowed');
      rememberAnswer(result, outgoing.signal, info);
    }
    return result;
  } catch (error) {
    watch.end();
    if (watch.silence === undefined) throw error;
    weir.count('unavailable');
    return refusal(provider, 'guardrail_unavailable', watch.silence.message);
  }
}

const REDIRECTED =
  'Weir could not be reached: another server answered with a redirect, which is not followed, so this request was not sent';

function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

/** Reads Weir's result from the headers of a response; undefined for a response that is not from Weir. */
function infoOf({ headers }: Response): WeirInfo | undefined {
  const eventId = headers.get('x-weir-event-id');
  const decision = headers.get('x-weir-decision');
  if (eventId === null && decision === null) return undefined;
  return {
    ...(eventId === null ? {} : { eventId }),
    ...(decision === null ? {} : { decision: decision as 'allow' }),
  };
}

/** Aborts a call when Weir becomes unresponsive, or when its caller aborts it. */
class Watch {
  /** The reason why this watch aborted the call. */
  silence: Error | undefined;
  private readonly controller = new AbortController();
  private readonly pass = (): void => this.controller.abort(this.caller?.reason);
  private cancel: () => void = () => undefined;
  private hasEnded = false;

  constructor(
    private readonly settings: Settings,
    private readonly caller: AbortSignal | undefined,
  ) {
    if (caller?.aborted === true) this.pass();
    caller?.addEventListener('abort', this.pass, { once: true });
    this.lookLater();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    this.hasEnded = true;
    this.cancel();
    this.caller?.removeEventListener('abort', this.pass);
  }

  /** Schedules the next health check: half of the deadline is the interval between checks, the other half is the timeout of one check. */
  private lookLater(): void {
    this.cancel = quietTimer(() => void this.look(), halfOf(this.settings));
  }

  private async look(): Promise<void> {
    const isThere = await isWeirThere(this.settings);
    if (this.hasEnded) return;
    if (isThere) return this.lookLater();
    const message = `Weir did not answer within ${this.settings.deadlineMs} ms; the provider may have the request`;
    this.silence = new Error(message);
    this.controller.abort(this.silence);
  }
}

interface Look {
  readonly atMs: number;
  readonly isThere: Promise<boolean>;
}

/** The last health check of each connection, shared by concurrent calls. */
const looks = new WeakMap<Settings, Look>();

function isWeirThere(settings: Settings): Promise<boolean> {
  const last = looks.get(settings);
  const atMs = performance.now();
  if (last !== undefined && atMs - last.atMs < halfOf(settings)) return last.isThere;
  const isThere = answers(settings);
  looks.set(settings, { atMs, isThere });
  return isThere;
}

/** Whether Weir is reachable; any response to the health check means that it is. */
async function answers(settings: Settings): Promise<boolean> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), halfOf(settings));
  try {
    const response = await fetchStraight(settings.fetch, `${settings.baseUrl}/healthz`, { signal: controller.signal });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

function halfOf({ deadlineMs }: Settings): number {
  return Math.max(deadlineMs / 2, 50);
}
