import { annotationsOf, type Annotations } from './annotations.js';
import { refusalOfBody, type WeirInfo } from './call-info.js';
import { parsed } from './admission.js';
import type { Violation } from './errors.js';
import type { Settings, WeirOptions } from './options.js';
import { withContent } from './tool-content.js';
import { oversized, sendRequest, retryAfterMs, unavailable, type Attempt, type Unavailable } from './send-request.js';
import { branded } from './shared.js';
import { USER_AGENT } from './version.js';
import { weirFrom } from './weir-fetch.js';
import type { Weir } from './weir-client.js';

/** A tool was not run, because a rule refuses it or because Weir was unavailable. */
export class ToolBlocked extends Error {
  override readonly name = 'ToolBlocked';
  /**
   * `tool_use_blocked` when a rule refused; `guardrail_unavailable` when Weir could not be asked; `unreadable_body` or `payload_too_large`
   * for arguments that Weir cannot judge.
   */
  readonly code: string;
  readonly tool: string;
  readonly eventId?: string;
  readonly violations: readonly Violation[];

  static {
    branded(this, 'ToolBlocked');
  }

  /** @internal */
  constructor(tool: string, message: string, { code, eventId, violations }: WeirInfo) {
    super(message);
    this.tool = tool;
    this.code = code ?? 'tool_use_blocked';
    if (eventId !== undefined) this.eventId = eventId;
    this.violations = violations ?? [];
  }
}

interface Answered {
  readonly kind: 'run' | 'refused';
  readonly info: WeirInfo;
  readonly message: string;
}

/**
 * A tool that runs only when Weir allows the call. Weir is asked by an `agent.tool_call` event with the name and the first argument.
 * The result can be used wherever the function itself can: in tool runners, `execute`, `betaTool`, LangChain's `tool`.
 *
 * @param name the tool's name, as the model and the rules use it
 * @param run the function of the tool
 * @param options settings, or a `Weir` shared with clients; by default the settings from the environment
 * @throws WeirConfigError for wrong options
 */
export function tool<Args extends unknown[], Result>(
  name: string,
  run: (...args: Args) => Result | PromiseLike<Result>,
  options: WeirOptions | Weir = {},
): (...args: Args) => Promise<Result> {
  const weir = weirFrom(options);
  return async (...args) => {
    const text = argumentsOf(args[0]);
    const verdict = await judged(weir, name, text);
    if (verdict.kind === 'refused') throw new ToolBlocked(name, verdict.message, verdict.info);
    return run(...args);
  };
}

async function judged(weir: Weir, name: string, text: string | undefined): Promise<Answered> {
  const { settings } = weir;
  weir.count('asked');
  const said = annotationsOf(settings);
  const verdict = text === undefined ? UNREADABLE : await asked(settings, eventOf(name, text, said));
  if (verdict.kind !== 'unavailable') {
    weir.count(verdict.kind === 'run' ? 'allowed' : 'refused');
    return verdict;
  }
  if (settings.failMode === 'open') {
    weir.count('passedOpen');
    settings.warn(`Weir ${verdict.why}: tools run without being judged, because failMode is 'open'`);
    return { kind: 'run', info: {}, message: '' };
  }
  weir.count('unavailable');
  const message = `Weir ${verdict.why}, so this tool was not run`;
  return { kind: 'refused', info: { code: 'guardrail_unavailable' }, message };
}

/** Arguments that Weir cannot read are no outage, so the tool is refused whatever `failMode` is. */
const UNREADABLE: Answered = {
  kind: 'refused',
  info: { code: 'unreadable_body' },
  message: 'Weir cannot read the arguments of this tool, so it was not run',
};

function asked(settings: Settings, event: string): Promise<Answered | Unavailable> {
  const headers = {
    authorization: `Bearer ${settings.apiKey}`,
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
  };
  const url = `${settings.baseUrl}/v1/events`;
  return sendRequest(settings, { url, headers, body: event, signal: undefined }, attemptOf);
}

function attemptOf(answer: Response, bytes: Uint8Array<ArrayBuffer>): Attempt<Answered> {
  const { status, headers } = answer;
  const body = parsed(bytes) as { event_id?: unknown; error?: { message?: unknown } } | undefined;
  if (status === 200 && typeof body?.event_id === 'string') {
    return { verdict: { kind: 'run', info: { eventId: body.event_id }, message: '' } };
  }
  const info = refusalOfBody(body);
  if (info !== undefined && (status < 500 || info.decision === 'block')) {
    const verdict: Answered = { kind: 'refused', info, message: `Weir: ${String(body?.error?.message)}` };
    const again = status === 409 || (status === 429 && headers.has('retry-after'));
    return again ? { verdict, retryAfterMs: retryAfterMs(headers) } : { verdict };
  }
  const tooLarge = oversized(status, false);
  if (tooLarge !== undefined) {
    const message = `Weir: ${tooLarge.why}, so this tool was not run`;
    return { verdict: { kind: 'refused', info: { code: tooLarge.type }, message } };
  }
  return { verdict: unavailable(`cannot judge now (status ${status})`), retryAfterMs: retryAfterMs(headers) };
}

function eventOf(name: string, text: string, { metadata, session, requestId }: Annotations): string {
  const request = requestId === undefined ? '' : `"request_id":${JSON.stringify(requestId)},`;
  const payload = `{"tool":${JSON.stringify(name)},"arguments":${text}${session === undefined ? '' : `,"session_id":${JSON.stringify(session)}`}}`;
  return `{"type":"agent.tool_call","event_id":"${crypto.randomUUID()}",${request}"metadata":${JSON.stringify(metadata)},"payload":${payload}}`;
}

/** The arguments as JSON; undefined if JSON cannot represent them. */
function argumentsOf(first: unknown): string | undefined {
  try {
    const text = JSON.stringify(first, withContent) as string | undefined;
    // For JSON, a function and a symbol are nothing, like an argument that is missing.
    if (text === undefined) return ['function', 'symbol', 'undefined'].includes(typeof first) ? '{}' : undefined;
    // The service expects an object, or the text that a model wrote.
    return /^[{"]/.test(text) ? text : `{"value":${text}}`;
  } catch {
    return undefined;
  }
}
