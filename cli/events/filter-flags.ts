import type { Argv } from 'yargs';
import type { GlobalArgs } from '../command.js';
import { environmentOf } from '../deploy/flags.js';
import { usageError } from '../exit-code.js';
import { spanMs } from '../input/span.js';

/** The filters of `GET /v1/events`, as flags. */
export interface FilterArgs extends GlobalArgs {
  readonly type: string | undefined;
  readonly env: string | undefined;
  readonly app: string | undefined;
  readonly requestId: string | undefined;
  readonly session: string | undefined;
  readonly model: string | undefined;
  readonly decision: string | undefined;
  readonly rule: string | undefined;
  readonly metadata: string | undefined;
}

export interface TimeArgs {
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly text: string | undefined;
}

const PLAIN = [
  ['type', 'type', 'Event type, such as ai.request'],
  ['env', 'environment', 'Environment'],
  ['app', 'app', 'Id or name of an app'],
  ['request-id', 'request_id', 'Ties request, response and error of one call together'],
  ['session', 'session', 'Session id'],
  ['model', 'model', 'Model name'],
  ['decision', 'decision', 'allow, redact or block'],
  ['rule', 'rule', 'Id of a rule that fired'],
] as const;

/** Adds the flags that narrow the log. */
export function filterOptions<Args extends GlobalArgs>(parser: Argv<Args>): Argv<Args & FilterArgs> {
  let built = parser as Argv;
  for (const [flag, , describe] of PLAIN) built = built.option(flag, { type: 'string', requiresArg: true, describe });
  return built.option('metadata', {
    type: 'string',
    requiresArg: true,
    describe: 'A metadata value: user.id=42; several with commas between them',
  }) as unknown as Argv<Args & FilterArgs>;
}

/** Adds the flags for a time range and for free text. */
export function timeOptions<Args extends GlobalArgs>(parser: Argv<Args>): Argv<Args & TimeArgs> {
  return parser
    .option('since', { type: 'string', requiresArg: true, describe: 'A span such as 24h, or an RFC 3339 time' })
    .option('until', { type: 'string', requiresArg: true, describe: 'A span ago, or an RFC 3339 time' })
    .option('text', {
      type: 'string',
      requiresArg: true,
      describe: 'Text in the stored payload or metadata',
    }) as unknown as Argv<Args & TimeArgs>;
}

/** The query string of the flags. @throws CliError (exit 2) */
export function filterQuery(args: FilterArgs & Partial<TimeArgs>, nowMs: number): URLSearchParams {
  const query = new URLSearchParams();
  const values = args as unknown as Readonly<Record<string, string | undefined>>;
  for (const [flag, parameter] of PLAIN) {
    const value = values[flag.replace(/-(\w)/, (_, letter: string) => letter.toUpperCase())];
    if (value !== undefined) query.set(parameter, flag === 'env' ? environmentOf(value) : value);
  }
  for (const term of args.metadata?.split(',') ?? []) {
    const [path = '', ...value] = term.split('=');
    if (path === '' || value.length === 0) throw usageError('--metadata takes key=value, such as user.id=42');
    query.set(`metadata.${path}`, value.join('='));
  }
  if (args.since !== undefined) query.set('from', instantOf(args.since, '--since', nowMs));
  if (args.until !== undefined) query.set('to', instantOf(args.until, '--until', nowMs));
  if (args.text !== undefined) query.set('q', args.text);
  return query;
}

/** A span counts back from now. */
export function instantOf(text: string, flag: string, nowMs: number): string {
  return /^\d{4}-/.test(text) ? text : new Date(nowMs - spanMs(text, flag)).toISOString();
}
