import type { FastifyRequest } from 'fastify';
import { noteSubject } from './request-subject.js';
import type { WeirError } from './weir-error.js';

/** Errors of recorded calls: from a rule or a budget. */
const RECORDED: ReadonlySet<string> = new Set([
  'content_policy_violation',
  'tool_use_blocked',
  'budget_exceeded',
  'guardrail_unavailable',
]);

/** Adds the error of the response to the request's log line, unless the event log has it. */
export function noteRefused(request: FastifyRequest, { type, options }: WeirError): void {
  if (options.eventId === undefined && !RECORDED.has(type)) noteSubject(request, { refused: type });
}
