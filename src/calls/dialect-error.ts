import type { ProviderStyle } from '../config/index.js';
import type { DecisionAction, ErrorDetail, ErrorType, RedactionCount, Violation } from '../core/index.js';
import { ERROR_STATUS, type WeirError } from '../http/index.js';

/** What a refusal tells beside its message. */
export interface DialectErrorInfo {
  readonly requestId: string;
  readonly eventId?: string;
  readonly decision?: DecisionAction;
  readonly violations?: readonly Violation[];
  readonly redactions?: readonly RedactionCount[];
}

interface WeirInfo {
  readonly code: ErrorType;
  readonly event_id?: string;
  readonly decision?: DecisionAction;
  readonly violations?: readonly Violation[];
  readonly redactions?: readonly RedactionCount[];
  readonly details?: readonly ErrorDetail[];
}

/**
 * An error of Weir's as the provider of this style would send it, so that its official SDK raises its own exception.
 * Shapes: https://platform.openai.com/docs/guides/error-codes, https://docs.anthropic.com/en/api/errors
 */
export function dialectError(style: ProviderStyle, error: WeirError, info: DialectErrorInfo): object {
  const type = typeForStatus(ERROR_STATUS[error.type]);
  const weir = weirInfo(error, info);
  switch (style) {
    case 'openai':
      return { error: { message: error.message, type, param: paramOf(error, info), code: error.type, weir } };
    case 'anthropic':
      return { type: 'error', error: { type, message: error.message, weir }, request_id: info.requestId };
  }
}

/** The same inside a stream that has begun: a frame on which the official SDK raises. No `[DONE]` follows. */
export function dialectErrorFrame(style: ProviderStyle, error: WeirError, info: DialectErrorInfo): string {
  const data = `data: ${JSON.stringify(dialectError(style, error, info))}\n\n`;
  switch (style) {
    case 'openai':
      return data;
    case 'anthropic':
      return `event: error\n${data}`;
  }
}

/** What keeps a silent stream alive without meaning anything. */
export function keepAliveFrame(style: ProviderStyle): string {
  switch (style) {
    case 'openai':
      return ': keep-alive\n\n';
    case 'anthropic':
      return 'event: ping\ndata: {"type": "ping"}\n\n';
  }
}

function weirInfo(error: WeirError, info: DialectErrorInfo): WeirInfo {
  return {
    code: error.type,
    ...(info.eventId === undefined ? {} : { event_id: info.eventId }),
    ...(info.decision === undefined ? {} : { decision: info.decision }),
    ...(info.violations === undefined ? {} : { violations: info.violations }),
    ...(info.redactions === undefined ? {} : { redactions: info.redactions }),
    ...(error.options.details === undefined ? {} : { details: error.options.details }),
  };
}

function paramOf(error: WeirError, info: DialectErrorInfo): string | null {
  const enforced = info.violations?.find((violation) => violation.enforced && violation.action === 'block');
  return enforced?.locations?.[0] ?? error.options.details?.[0]?.path ?? null;
}

function typeForStatus(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 402:
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 413:
      return 'request_too_large';
    case 429:
      return 'rate_limit_error';
    default:
      return status >= 500 ? 'api_error' : 'invalid_request_error';
  }
}
