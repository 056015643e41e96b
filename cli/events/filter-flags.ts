import { camelCase, FILTER_FLAGS, textOption, type ArgsOf } from '../command.js';
import { usageError } from '../exit-code.js';
import { spanMs } from '../input/span.js';
import { environmentFlag, environmentIn, environmentWord } from '../vocabulary.js';

/** Puts flags into the filter group of the help, below the command's other flags. */
function filters<Set extends object>(set: Set): Set {
  return Object.fromEntries(
    Object.entries(set).map(([name, option]) => [name, { ...option, group: FILTER_FLAGS }]),
  ) as Set;
}

const PLAIN = {
  type: textOption('Event type, such as ai.request'),
  ...environmentFlag(),
  app: textOption('App id or name'),
  'request-id': textOption('Request id shared by request, response and error of one call'),
  call: textOption('Call ids'),
  session: textOption('Session id'),
  model: textOption('Model name'),
  decision: textOption('allow, redact or block'),
  outcome: textOption('Outcome: allowed, flagged, would_block, redacted, error, unavailable, blocked'),
  rule: textOption('Rule id; matches events in which the rule fired'),
  exception: textOption('Id of an exception that applied'),
  mark: textOption('Mark: right, wrong, missed, or none for events without a mark'),
  provider: textOption('Provider such as openai'),
  key: textOption('Key id'),
  'min-cost': textOption('Minimum cost in dollars'),
  'min-weir': textOption('Minimum processing time of Weir, in milliseconds'),
} as const;

type PlainFlag = keyof ArgsOf<typeof PLAIN>;

/** The parameters of `GET /v1/events` by the flags that set them. */
const PARAMETERS: Readonly<Record<PlainFlag, string>> = {
  type: 'type',
  env: 'environment',
  app: 'app',
  requestId: 'request_id',
  call: 'call',
  session: 'session',
  model: 'model',
  decision: 'decision',
  outcome: 'outcome',
  rule: 'rule',
  exception: 'exception',
  mark: 'mark',
  provider: 'provider',
  key: 'key',
  minCost: 'min_cost_usd',
  minWeir: 'min_weir_ms',
};

/** The flags that filter events. */
export const FILTER_OPTIONS = filters({
  ...PLAIN,
  not: textOption('Exclude matching events: outcome=allowed,rule=pii.redact-contact'),
  metadata: textOption('Metadata such as user.id=42; separate several with commas; \\, is a comma in a value'),
} as const);

/** The environment argument of commands that read the log; equivalent to `--env`. */
export const FILTER_ARGUMENT = environmentWord('default: all');

/** The flag for the start of a time range. */
export function sinceFlag(note?: string) {
  return textOption(`Start: a time span before now such as 24h, or a time${note === undefined ? '' : `; ${note}`}`);
}

/** The flags for a time range. */
export const RANGE_OPTIONS = {
  since: sinceFlag(),
  until: textOption('End: a time span before now such as 24h, or a time'),
} as const;

/** The flags for a time range and for free text. */
export const TIME_OPTIONS = filters({
  ...RANGE_OPTIONS,
  text: textOption('Search text in the stored payload or metadata'),
} as const);

/** The flag that shows calls instead of events. */
export const CALLS_OPTION = {
  calls: {
    type: 'boolean',
    default: false,
    describe: 'Calls instead of events; a call sums up its request and its answers',
  },
} as const;

/** All flags that select events: filters, a time range, free text, and whether to include the archive. */
export const SEARCH_OPTIONS = {
  ...FILTER_OPTIONS,
  ...TIME_OPTIONS,
  ...filters({
    archive: { type: 'boolean', default: false, describe: 'Include events that were moved to the archive' },
  } as const),
} as const;

export type FilterArgs = ArgsOf<typeof FILTER_OPTIONS> & Partial<ArgsOf<typeof FILTER_ARGUMENT>>;
type TimeArgs = ArgsOf<typeof TIME_OPTIONS>;

/** The query parameters for the flags; a command may have only some of them. @throws CliError (exit 2) */
export function filterQuery(
  args: Partial<FilterArgs & TimeArgs & Pick<ArgsOf<typeof SEARCH_OPTIONS>, 'archive'>>,
  nowMs: number,
): URLSearchParams {
  const query = new URLSearchParams();
  const environment = environmentIn(args);
  for (const [flag, parameter] of Object.entries(PARAMETERS) as [PlainFlag, string][]) {
    const value = flag === 'env' ? environment : args[flag];
    if (value !== undefined) query.set(parameter, value);
  }
  for (const term of termsOf(args.metadata, /(?<!\\),/)) {
    const [path = '', ...value] = term.split('=');
    if (path === '' || value.length === 0) throw usageError('--metadata takes key=value, such as user.id=42');
    if (query.has(`metadata.${path}`)) throw usageError('--metadata takes each key only once');
    query.set(`metadata.${path}`, value.join('='));
  }
  for (const [name, value] of notTerms(args.not)) {
    if (query.has(`not.${name}`)) throw usageError('--not takes each name only once; several values: rule=a,b');
    query.set(`not.${name}`, value);
  }
  if (args.since !== undefined) query.set('from', instantOf(args.since, '--since', nowMs));
  if (args.until !== undefined) query.set('to', instantOf(args.until, '--until', nowMs));
  if (args.text !== undefined) query.set('q', args.text);
  if (args.archive === true) query.set('archive', 'true');
  return query;
}

/** Splits a text at commas; `\,` is a comma within a term. */
export function termsOf(text: string | undefined, comma: RegExp): string[] {
  return (text?.split(comma) ?? []).map((term) => term.replaceAll('\\,', ','));
}

/** Parses `outcome=allowed,flagged,model=x`: a comma begins a new term only if a name and `=` follow. @throws CliError (exit 2) */
function notTerms(text: string | undefined): [name: string, value: string][] {
  return termsOf(text, /(?<!\\),(?=[\w.-]+=)/).map((term) => {
    const [flag = '', ...value] = term.split('=');
    if (flag === '' || value.length === 0) throw usageError('--not takes name=value, such as outcome=allowed');
    const parameter = (PARAMETERS as Readonly<Record<string, string>>)[camelCase(flag)];
    return [parameter ?? flag, value.join('=')];
  });
}

/** An RFC 3339 time from a time, or from a span that counts back from now. */
export function instantOf(text: string, flag: string, nowMs: number): string {
  return /^\d{4}-/.test(text) ? text : new Date(nowMs - spanMs(text, flag)).toISOString();
}
