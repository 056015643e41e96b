import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { callContext, CallSessions, headerTextsOf, isPlainHeader, type HeaderText } from '../calls/index.js';
import { NO_TEXTS, planAnswer, refuses } from '../core/index.js';
import { JudgementService, type Judgement } from '../judgement/index.js';
import { isSentToClients, listedByConnection } from './proxy-headers.js';
import type { FoundInHeaders, UpstreamExchange } from './upstream-exchange.js';

/** A header that is not sent to the client has this in place of its last plain value. */
const NOT_SENT = null;
/** Providers send the same few names. The names and values that are remembered are short. */
const KNOWN_NAMES = 500;
const LONGEST_KNOWN = 128;
const NO_TEXTS_IN_HEADERS: readonly HeaderText[] = [];
const NOTHING_REMOVED: ReadonlySet<string> = new Set();

/**
 * Judges the headers of answers before they are sent: a stream and a file follow them before they are judged themselves. Nearly all headers
 * are plain, such as dates, limits and ids, and are recognised without a detector.
 */
@Injectable()
export class AnswerHeaders {
  /** The last plain value of each name. */
  private readonly known = new Map<string, string | typeof NOT_SENT>();

  constructor(
    @Inject(JudgementService) private readonly judging: Pick<JudgementService, 'maskTexts' | 'judge'>,
    @Inject(CallSessions) private readonly sessions: Pick<CallSessions, 'open'>,
  ) {}

  /** The texts in the headers that are sent to the client. */
  textsOf(headers: IncomingHttpHeaders): readonly HeaderText[] {
    let texts: HeaderText[] | undefined;
    let position = 0;
    for (const name in headers) {
      const value = headers[name];
      position++;
      const known = this.known.get(name);
      if (value === undefined || known === NOT_SENT || known === value) continue;
      if (known === undefined && !isSentToClients(name)) this.remember(name, NOT_SENT);
      else if (typeof value === 'string' && isPlainHeader(name, value)) this.remember(name, value);
      else texts = [...(texts ?? []), ...[value].flat().flatMap((each) => headerTextsOf(name, each, position))];
    }
    if (texts === undefined) return NO_TEXTS_IN_HEADERS;
    const listed = listedByConnection(headers);
    return texts.filter(({ name }) => !listed.has(name));
  }

  /**
   * Judges texts of headers. Undefined if nothing is found in them.
   * @throws AccessUnavailable when the key of stable tokens cannot be read
   */
  async foundIn(
    { record: { call } }: Pick<UpstreamExchange, 'record'>,
    texts: readonly HeaderText[],
  ): Promise<FoundInHeaders | undefined> {
    const { caller, policy } = call;
    const segments = texts.map(({ text }) => text);
    const whose = { accountId: caller.accountId, anyway: true, comesAgainIn: caller.appId };
    const masks = await this.judging.maskTexts(policy, segments, whose);
    if (masks.length === 0) return undefined;
    const places = new Set(masks.map(({ segment }) => segment));
    const found = texts.filter((_, place) => places.has(place));
    if (planAnswer(policy.policy, policy.detectors).mode === 'pass')
      return { texts: found, removed: NOTHING_REMOVED, areRefused: false };
    const { action, edits } = await this.judged(call, found);
    const areRefused = refuses(action);
    const removed = areRefused ? found : edits.flatMap(({ segment }) => found[segment] ?? []);
    return { texts: found, removed: new Set(removed.map(({ name }) => name)), areRefused };
  }

  private async judged(call: UpstreamExchange['record']['call'], texts: readonly HeaderText[]): Promise<Judgement> {
    const context = callContext(call);
    const session = await this.sessions.open({ ...call, context });
    return this.judging.judge({
      policy: call.policy,
      accountId: call.caller.accountId,
      context,
      ledger: call.ledger,
      ...(session === undefined ? {} : { session: session.history }),
      call: { ...NO_TEXTS, segments: texts.map(({ text }) => text) },
      kind: 'answer',
      enforceable: true,
      monitorRequested: false,
      request: { call: call.request, judgement: call.judgement },
    });
  }

  private remember(name: string, value: string | typeof NOT_SENT): void {
    if (name.length > LONGEST_KNOWN || (value !== NOT_SENT && value.length > LONGEST_KNOWN)) return;
    if (this.known.size >= KNOWN_NAMES && !this.known.has(name)) this.known.clear();
    this.known.set(name, value);
  }
}
