import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/index.js';
import { CallEntrance, type Entered } from '../calls/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { memberOf, parseJson, readsSessions, stringOf, type JsonDocument } from '../core/index.js';
import { EventLog } from '../events/index.js';
import { errorAnswer, errorForLog, LOGGER, toWeirError, WeirError, type Logger } from '../http/index.js';
import { afterOthers } from '../judgement/index.js';
import { PolicyStore, PolicyUnavailable } from '../policy-store/index.js';
import { IngestService, type SubmitInput, type SubmitResult } from './ingest.service.js';
import type { IngestAnswer } from './remembered-answer.js';

export interface BatchInput extends Omit<SubmitInput, 'readBody'> {
  /** The id of the request in log lines. */
  readonly loggedId: () => string;
  /** The JSON texts of the events; called only for a caller who may submit. */
  readonly readTexts: () => readonly string[];
}

/** The answer to one event of a batch, or its error, as if the event had been submitted alone. */
export interface BatchedAnswer {
  readonly answer: IngestAnswer;
  readonly replayed: boolean;
}

type Read = JsonDocument | WeirError;

/**
 * Processes a batch of events: one authentication, one turn and one count against the limits; then each event is judged, recorded and
 * answered separately. Events with the same `request_id` are processed in the order of the batch, so that an answer finds its request;
 * all others are judged concurrently and committed together.
 */
@Injectable()
export class BatchService {
  constructor(
    @Inject(CallEntrance) private readonly entrance: CallEntrance,
    @Inject(IngestService) private readonly ingest: IngestService,
    @Inject(EventLog) private readonly log: Pick<EventLog, 'gather'>,
    @Inject(PolicyStore) private readonly policies: Pick<PolicyStore, 'active'>,
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * @returns an answer for each event, in the order of the batch
   * @throws {WeirError} if the batch was refused as a whole: 401, 413, 422, 429, 503
   */
  async submit(input: BatchInput, onCaller: (caller: Caller) => void): Promise<readonly BatchedAnswer[]> {
    const { key, client, setHeader, readTexts } = input;
    let texts: readonly string[] = [];
    const countEvents = (): number => (texts = readTexts()).length;
    const entered = await this.entrance.enter({ surface: 'rest', client, key, setHeader, onCaller, countEvents });
    try {
      const settleTraceId = once(input.settleTraceId);
      const failures: unknown[] = [];
      const work = async (event: Read): Promise<BatchedAnswer> => {
        try {
          const readBody = (): Promise<JsonDocument> => Promise.resolve(readOrThrow(event));
          return answered(
            await this.ingest.submitAs(entered, { ...input, readBody, settleTraceId }, performance.now()),
          );
        } catch (error) {
          failures.push(error);
          return this.refused(error, input.traceId);
        }
      };
      const answers = await this.inOrder(entered, texts, work);
      this.logFailures(failures, input);
      return answers;
    } finally {
      entered.leave();
    }
  }

  /**
   * Processes each event after the earlier ones of its request, and lets other calls take their turns in between. Events that wait for
   * nothing in the batch are stored together; an event that waits for its session or an earlier event must not wait for the group in
   * addition.
   */
  private async inOrder(
    { caller }: Entered,
    texts: readonly string[],
    work: (event: Read) => Promise<BatchedAnswer>,
  ): Promise<readonly BatchedAnswer[]> {
    const lastOf = new Map<string, Promise<BatchedAnswer>>();
    const answers: Promise<BatchedAnswer>[] = [];
    let open = texts.length;
    const gathering = this.log.gather(caller, () => open);
    const ordersSessions = this.ordersSessions(caller);
    const ended = (): void => {
      open -= 1;
      gathering.changed();
    };
    try {
      for (const text of texts) {
        await afterOthers();
        const event = readEvent(text, this.config.events.bodyLimitBytes);
        const { request, isToolCallOfSession } = orderOf(event);
        const before = request === undefined ? undefined : lastOf.get(request);
        const answer = before === undefined ? work(event) : before.then(() => work(event));
        if (request !== undefined) lastOf.set(request, answer);
        answers.push(answer);
        if (before === undefined && !(ordersSessions && isToolCallOfSession)) void answer.finally(ended);
        else ended();
      }
      return await Promise.all(answers);
    } finally {
      gathering.end();
    }
  }

  /** Whether rules read sessions, so that tool calls of one session are judged and stored in sequence. */
  private ordersSessions({ accountId, environment }: Caller): boolean {
    try {
      return readsSessions(this.policies.active(accountId, environment).policy);
    } catch (error) {
      if (!(error instanceof PolicyUnavailable)) throw error;
      // Each event is answered with this error.
      return false;
    }
  }

  private refused(thrown: unknown, traceId: string): BatchedAnswer {
    return { answer: errorAnswer(toWeirError(thrown), traceId, this.config.server.baseUrl), replayed: false };
  }

  /** Logs one line for each type of internal failure: an outage affects all events of a batch alike. */
  private logFailures(failures: readonly unknown[], { traceId, loggedId }: BatchInput): void {
    const byType = Map.groupBy(failures, (thrown) => toWeirError(thrown).type);
    for (const [type, [first, ...more]] of byType) {
      const { status } = this.refused(first, traceId).answer;
      if (status < 500) continue;
      const err = errorForLog(toWeirError(first).cause ?? first);
      this.logger.error(
        { trace_id: loggedId(), type, err, events: 1 + more.length },
        'events of a batch were not recorded',
      );
    }
  }
}

/** What an event may have to wait for: other events of its request and, if rules read sessions, the tool calls of its session. */
function orderOf(event: Read): { readonly request: string | undefined; readonly isToolCallOfSession: boolean } {
  if (event instanceof WeirError) return { request: undefined, isToolCallOfSession: false };
  const { root } = event;
  const namesSession = ['payload', 'metadata'].some(
    (field) => stringOf(memberOf(root, field), 'session_id') !== undefined,
  );
  const isToolCallOfSession = namesSession && stringOf(root, 'type') === 'agent.tool_call';
  return { request: stringOf(root, 'request_id'), isToolCallOfSession };
}

function readEvent(text: string, limitBytes: number): Read {
  if (Buffer.byteLength(text) > limitBytes) return new WeirError('payload_too_large');
  try {
    return parseJson(text);
  } catch (error) {
    return toWeirError(error);
  }
}

function readOrThrow(event: Read): JsonDocument {
  if (event instanceof WeirError) throw event;
  return event;
}

function answered({ answer, replayed }: SubmitResult): BatchedAnswer {
  return { answer, replayed };
}

function once(settle: ((id: string) => void) | undefined): (id: string) => void {
  let settled = false;
  return (id) => {
    if (!settled) settle?.(id);
    settled = true;
  };
}
