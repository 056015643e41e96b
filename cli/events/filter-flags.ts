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
  readonly outcome: string | undefined;
  readonly rule: string | undefined;
  readonly mark: string | undefined;
  readonly provider: string | undefined;
  readonly key: string | undefined;
  readonly minCost: string | undefined;
  readonly minWeir: string | undefined;
  readonly metadata: string | undefined;
  readonly not: string | undefined;
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
  ['outcome', 'outcome', 'What came of it: allowed, flagged, would_block, redacted, error, unavailable, blocked'],
  ['rule', 'rule', 'Id of a rule that fired'],
  ['exception', 'exception', 'Id of an exception that let a rule go'],
  ['mark', 'mark', 'What somebody said of it: right, wrong, missed; none: nobody did'],
  ['provider', 'provider', 'Provider, such as openai'],
  ['key', 'key', "A key's public id"],
  ['min-cost', 'min_cost_usd', 'Cost at least so many dollars'],
  ['min-weir', 'min_weir_ms', "Took at least so many milliseconds of Weir's own time"],
] as const;

/** Adds the flags that narrow the log. */
export function filterOptions<Args extends GlobalArgs>(parser: Argv<Args>): Argv<Args & FilterArgs> {
  let built = parser as Argv;
  for (const [flag, , describe] of PLAIN) built = built.option(flag, { type: 'string', requiresArg: true, describe });
  return built
    .option('not', {
      type: 'string',
      requiresArg: true,
      describe: 'Exclude matching events: outcome=allowed,rule=pii.redact-contact',
    })
    .option('metadata', {
      type: 'string',
      requiresArg: true,
      describe: 'Metadata value such as user.id=42; separate several with commas',
    }) as unknown as Argv<Args & FilterArgs>;
}

/** Adds the flags for a time range and for free text. */
export function timeOptions<Args extends GlobalArgs>(parser: Argv<Args>): Argv<Args & TimeArgs> {
  return parser
    .option('since', {
      type: 'string',
      requiresArg: true,
      describe: 'Duration before now such as 24h, or an RFC 3339 time',
    })
    .option('until', { type: 'string', requiresArg: true, describe: 'Duration before now, or an RFC 3339 time' })
    .option('text', {
      type: 'string',
      requiresArg: true,
      describe: 'Search text in the stored payload or metadata',
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
  for (const [name, value] of notTerms(args.not)) query.set(`not.${name}`, value);
  if (args.since !== undefined) query.set('from', instantOf(args.since, '--since', nowMs));
  if (args.until !== undefined) query.set('to', instantOf(args.until, '--until', nowMs));
  if (args.text !== undefined) query.set('q', args.text);
  return query;
}

/** `outcome=allowed,flagged,model=x`: a comma begins a new term where a name and `=` follow. @throws CliError (exit 2) */
function notTerms(text: string | undefined): [name: string, value: string][] {
  return (text?.split(/,(?=[\w.-]+=)/) ?? []).map((term) => {
    const [flag = '', ...value] = term.split('=');
    if (flag === '' || value.length === 0) throw usageError('--not takes name=value, such as outcome=allowed');
    const [, parameter = flag] = PLAIN.find(([name]) => name === flag) ?? [];
    return [parameter, value.join('=')];
  });
}

/** A span counts back from now. */
export function instantOf(text: string, flag: string, nowMs: number): string {
  return /^\d{4}-/.test(text) ? text : new Date(nowMs - spanMs(text, flag)).toISOString();
}
