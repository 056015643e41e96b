import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { asPage, checked, ERROR_STATUS, invalidRequest, isForm, readJsonBody, WeirError } from '../http/index.js';

/**
 * The body of a form or a JSON body, validated by one schema.
 *
 * @throws {WeirError} 422 with one entry per field; no value is repeated
 */
export function readSubmission<T>(schema: z.ZodType<T>, request: FastifyRequest): T {
  if (!isForm(request)) return checked(schema, readJsonBody(request).value);
  const fields = fieldsOf(request);
  if (new Set(fields.map(([name]) => name)).size !== fields.length) {
    throw invalidRequest([{ path: '', message: 'has a field twice' }]);
  }
  return checked(schema, Object.fromEntries(fields));
}

/**
 * Runs what a form asked for; what is wrong with it is shown on the form's own page, with the status that a program
 * would get. A program's error goes its usual way, and so does a limit: its page says how long to wait.
 *
 * @param again the page with what was wrong, with the address as it was typed and where it was to lead
 */
export async function redisplayOnError<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<T>,
  again: (shown: { readonly problem: string; readonly email?: string; readonly next?: string }) => string,
): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (!isForm(request) || !(error instanceof WeirError) || ERROR_STATUS[error.type] >= 429) throw error;
    const details = error.options.details?.map(({ path, message }) => `${labelOf(path)} ${message}.`) ?? [];
    const problem = details.length > 0 ? details.join(' ') : `${error.message}.`;
    const { email, next } = Object.fromEntries(fieldsOf(request)) as {
      readonly email?: string;
      readonly next?: string;
    };
    const typed = { ...(email === undefined ? {} : { email }), ...(next === undefined ? {} : { next }) };
    return asPage(reply, ERROR_STATUS[error.type], again({ problem, ...typed }));
  }
}

function fieldsOf({ body }: FastifyRequest): [name: string, value: string][] {
  return [...new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '')];
}

function labelOf(path: string): string {
  const labels: Readonly<Record<string, string>> = {
    email: 'The e-mail address',
    new_email: 'The new e-mail address',
    password: 'The password',
    current_password: 'The present password',
    new_password: 'The new password',
  };
  return labels[path] ?? 'The form';
}

/** Leads the browser on to a page of the service, by GET. */
export function redirectTo(reply: FastifyReply, path: string): string {
  reply.code(303).header('location', path);
  return '';
}
