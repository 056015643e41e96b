import type { ZodError } from 'zod';

/** The path of the first field that is wrong; empty where it is the whole. */
export function wrongField({ issues: [first] }: ZodError): string {
  return first?.path.join('.') ?? '';
}
