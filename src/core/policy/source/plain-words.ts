import type { z } from 'zod';

/** The names of types in error messages about a file or a body. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
  null: 'nothing',
  bigint: 'a whole number',
  date: 'an instant',
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'an instant with a zone, such as 2026-12-31T23:59:59Z',
  date: 'a date, such as 2026-12-31',
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'an id in the form of a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
};

/**
 * The message for a value that a schema rejects, in place of zod's own; passed to `safeParse` as `error`. A schema's custom message
 * stays. Messages never contain the value, which may be a secret.
 */
export function plainWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_union':
      return issue.input === undefined
        ? 'is missing'
        : `expected ${listed(expectedOf(issue), 'or')}, found ${kindOfValue(issue.input)}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : `expected ${listed(issue.values.map(quoted), 'or')}`;
    case 'invalid_key':
      // The schema for the keys has its own message.
      return issue.issues[0]?.message;
    case 'invalid_format':
      return `expected ${FORMATS[issue.format] ?? 'another form'}`;
    case 'too_small':
      return `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${amount(issue.origin, issue.minimum)}`;
    case 'too_big':
      return `expected ${issue.inclusive === false ? 'less than' : 'at most'} ${amount(issue.origin, issue.maximum)}`;
    case 'not_multiple_of':
      return `expected a multiple of ${issue.divisor}`;
    default:
      return undefined;
  }
}

type Issue = Pick<z.core.$ZodRawIssue, 'code'> & Readonly<Record<string, unknown>>;

/** The expected type of each form of a union at its top level. */
function expectedOf(issue: Issue): string[] {
  if (issue.code === 'invalid_type') return [KINDS[String(issue['expected'])] ?? String(issue['expected'])];
  if (issue.code === 'invalid_value') return (issue['values'] as readonly unknown[]).map(quoted);
  if (issue.code !== 'invalid_union') return [];
  const forms = (issue['errors'] as readonly (readonly (Issue & { readonly path: readonly unknown[] })[])[]) ?? [];
  const wanted = forms.flatMap((issues) => issues.filter(({ path }) => path.length === 0).flatMap(expectedOf));
  return wanted.length === 0 ? ['another form'] : [...new Set(wanted)];
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}

function listed(words: readonly string[], last: string): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)!}`;
}

function amount(origin: string, limit: number | bigint): string {
  const one = Number(limit) === 1;
  if (origin === 'string') return `${limit} ${one ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'set') return `${limit} ${one ? 'entry' : 'entries'}`;
  return String(limit);
}

function kindOfValue(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return KINDS[typeof value] ?? typeof value;
}
