import {
  providerOfStyle,
  refuses,
  type CannedAnswer,
  type DecisionAction,
  type FramePlace,
  type ProviderStyle,
  type RedactionCount,
  type StyledError,
  type Violation,
  type WeirInfo,
} from '../core/index.js';
import { errorHeaders, ERROR_STATUS, type WeirError } from '../http/index.js';

/** The content of a refusal apart from its message. */
export interface DialectErrorInfo {
  readonly requestId: string;
  readonly eventId?: string;
  readonly decision?: DecisionAction;
  readonly violations?: readonly Violation[];
  readonly redactions?: readonly RedactionCount[];
}

/**
 * An error of Weir as the provider of this style would send it, so that the provider's official SDK raises its own exception.
 */
export function dialectError(style: ProviderStyle, error: WeirError, info: DialectErrorInfo): object {
  return providerOfStyle(style).error(styled(error, info));
}

/**
 * The content of an error about this call, apart from its message.
 * @param ofCall the id of the call's event, if it is in the log: the default for an error that names no event
 */
export function errorInfo(requestId: string, { options }: WeirError, ofCall?: string): DialectErrorInfo {
  const { eventId = ofCall, decision, violations } = options;
  return {
    requestId,
    ...(eventId === undefined ? {} : { eventId }),
    ...(decision === undefined ? {} : { decision, redactions: [] }),
    ...(violations === undefined ? {} : { violations }),
  };
}

/** The id of a call where this provider's official client reads it, for an answer that is not the provider's. */
export function requestIdHeaders(style: ProviderStyle, requestId: string): Record<string, string> {
  const { requestIdHeader: name } = providerOfStyle(style);
  return name === undefined ? {} : { [name]: requestId };
}

/** An error as it is sent, with status and headers. */
export function dialectAnswer(style: ProviderStyle, error: WeirError, info: DialectErrorInfo) {
  return {
    status: ERROR_STATUS[error.type],
    headers: {
      ...errorHeaders(error.type, error.options),
      ...requestIdHeaders(style, info.requestId),
      'content-type': 'application/json; charset=utf-8',
    },
    body: JSON.stringify(dialectError(style, error, info)),
  };
}

/** An error as a frame inside a stream that has begun, for which the official SDK raises an exception. */
export function dialectErrorFrame(
  style: ProviderStyle,
  error: WeirError,
  info: DialectErrorInfo,
  place: FramePlace,
): string {
  return providerOfStyle(style).errorFrame(styled(error, info), place);
}

function styled(error: WeirError, info: DialectErrorInfo): StyledError {
  const { type, message } = error;
  const status = ERROR_STATUS[type];
  return { type, message, status, requestId: info.requestId, param: paramOf(error, info), weir: weirInfo(error, info) };
}

function weirInfo(error: WeirError, info: DialectErrorInfo): WeirInfo {
  return {
    code: error.type,
    ...(info.eventId === undefined ? {} : { event_id: info.eventId }),
    ...(info.decision === undefined ? {} : { decision: info.decision }),
    ...(info.violations === undefined ? {} : { violations: info.violations }),
    ...(info.redactions === undefined ? {} : { redactions: info.redactions }),
    ...(error.options.canned === undefined ? {} : { answer: inPlace(error.options.canned) }),
    ...(error.options.details === undefined ? {} : { details: error.options.details }),
  };
}

/**
 * The canned answer inside an error. Clients of `/v1/calls` can use it as the provider's answer, because one response cannot be
 * both the refusal and the canned answer.
 */
function inPlace({ contentType, body }: CannedAnswer): NonNullable<WeirInfo['answer']> {
  return { content_type: contentType, body };
}

function paramOf(error: WeirError, info: DialectErrorInfo): string | null {
  const enforced = info.violations?.find((violation) => violation.enforced && refuses(violation.action));
  return enforced?.locations?.[0] ?? error.options.details?.[0]?.path ?? null;
}
