import type { ZodError } from 'zod';

/** The path of the first wrong field; empty if the whole value is wrong. */
export function wrongField({ issues: [first] }: ZodError): string {
  return first?.path.join('.') ?? '';
}
