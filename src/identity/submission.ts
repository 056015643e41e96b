import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { asPage, checked, ERROR_STATUS, invalidRequest, isForm, readJsonBody, WeirError } from '../http/index.js';

/**
 * Reads a form or a JSON body, validated by the same schema.
 *
 * @throws {WeirError} 422 with one entry per field; no value is repeated
 */
export function readSubmission<T>(schema: z.ZodType<T>, request: FastifyRequest): T {
  if (!isForm(request)) return checked(schema, readJsonBody(request).value);
  const fields = fieldsOf(request);
  if (new Set(fields.map(([name]) => name)).size !== fields.length) {
    throw invalidRequest([{ path: '', message: 'contains a field twice' }]);
  }
  return checked(schema, Object.fromEntries(fields));
}

/**
 * Runs the action of a form; an error is shown on the page of the form, with the status that a program would get. Errors of programs
 * and exceeded limits are handled as usual: the page of a limit shows how long to wait.
 *
 * @param again renders the page with the problem, the typed address and the path to continue at
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
    current_password: 'The current password',
    new_password: 'The new password',
  };
  return labels[path] ?? (path === '' ? 'The form' : `The field ${path}`);
}

/** Redirects the browser to a page of the service, with GET. */
export function redirectTo(reply: FastifyReply, path: string): string {
  reply.code(303).header('location', path);
  return '';
}
