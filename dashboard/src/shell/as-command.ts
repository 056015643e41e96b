/**
 * The frame around pages: navigation, router, command palette, time range. It knows the pages by their addresses only.
 */

/** The terminal command that shows the same as a page. */
import type { Search } from './view.ts';

export interface Shown {
  readonly pathname: string;
  readonly search: Search;
  readonly environment: string;
  /** The environment for commands that need a single one. */
  readonly concrete: string;
  readonly range: string | null;
  readonly to: string | undefined;
}

/** Filters of events whose command-line flag has another name than in the API. */
const FLAGS: Readonly<Record<string, string>> = {
  ...{ request_id: 'request-id', min_cost_usd: 'min-cost', min_weir_ms: 'min-weir', q: 'text' },
};
const SAME = [
  'call',
  'session',
  'model',
  'decision',
  'outcome',
  'rule',
  'exception',
  'mark',
  'provider',
  'key',
  'type',
  'app',
];
const env = (shown: Shown): readonly string[] => (shown.environment === 'all' ? [] : ['--env', shown.environment]);

type Command = (shown: Shown, parts: readonly string[]) => readonly string[] | undefined;

/** By URL pattern: `:` matches any segment of the path. The first pattern that matches counts. */
const COMMANDS: readonly (readonly [pattern: string, command: Command])[] = [
  ['/', (shown) => ['attention', ...env(shown)]],
  ['/events', events],
  ['/events/:', (_, [id = '']) => ['events', 'show', id]],
  ['/sessions', sessions],
  ['/sessions/:', session],
  // What a user tries there is not part of the address.
  ['/policies/playground', () => undefined],
  ['/policies/:', (_, [name = '']) => ['rules', 'stats', name]],
  [
    '/policies/:/rules/:',
    (shown, [name = '', rule = '']) => ['events', 'list', '--env', name, '--rule', rule, ...time(shown)],
  ],
  ['/policies/:/history', (_, [name = '']) => ['history', name]],
  ['/policies/:/exceptions', (_, [name = '']) => ['exceptions', 'list', name, '--deployed']],
  ['/policies/:/files', (shown, [name = '']) => deployment(shown, name)],
  ['/budgets', (shown) => ['budgets', 'list', ...env(shown)]],
  ['/budgets/:/:', (_, [environment = '', id = '']) => ['budgets', 'show', id, '--env', environment]],
  ['/apps', () => ['apps', 'list']],
  ['/apps/:/settings', (_, [id = '']) => ['apps', 'show', id]],
  ['/audit', audit],
  ['/exports', () => ['exports', 'list']],
  ['/exports/schedules/:', (_, [id = '']) => ['exports', 'schedules', 'runs', id]],
  ['/settings/tokens', () => ['tokens', 'list']],
];

/** Undefined if no command shows the same. */
export function commandOf(shown: Shown): string | undefined {
  const parts = shown.pathname.split('/').filter(Boolean).map(decoded);
  for (const [pattern, command] of COMMANDS) {
    const wanted = pattern.split('/').filter(Boolean);
    if (wanted.length !== parts.length || !wanted.every((part, index) => part === ':' || part === parts[index]))
      continue;
    const named = parts.filter((_, index) => wanted[index] === ':');
    const words = command(shown, named);
    return words === undefined ? undefined : ['weir', ...words].map(quoted).join(' ');
  }
  return undefined;
}

/** A part of the path; one that a person has typed may not be encoded. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function events(shown: Shown): readonly string[] {
  const not: string[] = [];
  const metadata: string[] = [];
  const flags: string[] = [];
  for (const [name, value] of Object.entries(shown.search)) {
    if (value === undefined) continue;
    if (name.startsWith('not.'))
      not.push(`${FLAGS[name.slice(4)] ?? name.slice(4)}=${value.replaceAll(/,(?=[\w.-]+=)/g, '\\,')}`);
    else if (name.startsWith('metadata.')) metadata.push(`${name.slice(9)}=${value.replaceAll(',', '\\,')}`);
    else if (Object.hasOwn(FLAGS, name)) flags.push(...flag(FLAGS[name] ?? name, value));
    else if (SAME.includes(name)) flags.push(...flag(name, value));
  }
  return [
    ...['events', 'list', ...env(shown), ...flags],
    ...(metadata.length === 0 ? [] : flag('metadata', metadata.join(','))),
    ...(not.length === 0 ? [] : flag('not', not.join(','))),
    ...time(shown),
    ...(shown.search['view'] === 'events' ? [] : ['--calls']),
  ];
}

function audit(shown: Shown): readonly string[] {
  return ['audit', ...flags(shown, ['actor', 'action', 'subject']), ...time(shown)];
}

function sessions(shown: Shown): readonly string[] {
  return ['sessions', 'list', ...env(shown), ...flags(shown, ['app', 'model', 'outcome']), ...time(shown)];
}

function session({ search }: Shown, [id = '']: readonly string[]): readonly string[] {
  const place = [...appOf(search), ...envOfSession(search)];
  return ['sessions', 'show', ...place, ...(id.startsWith('-') ? ['--'] : []), id];
}

/** The flags for parameters of the address whose names are the same. */
function flags({ search }: Shown, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value = search[name];
    return value === undefined ? [] : flag(name, value);
  });
}

function time({ search, range, to }: Shown): readonly string[] {
  const since = range ?? search['from'];
  return [...(since === undefined ? [] : ['--since', since]), ...(to === undefined ? [] : ['--until', to])];
}

const appOf = ({ app }: Search): readonly string[] => (app === undefined ? [] : flag('app', app));
const envOfSession = ({ event_environment: name }: Search): readonly string[] =>
  name === undefined ? [] : flag('env', name);

/** Callers choose ids: a value that begins with `-` must not be parsed as a flag. */
const flag = (name: string, value: string): readonly string[] =>
  value.startsWith('-') ? [`--${name}=${value}`] : [`--${name}`, value];

function deployment({ search }: Shown, env: string): readonly string[] {
  return ['show', env, ...(search['deployment'] === undefined ? [] : [search['deployment']])];
}

/** Quotes a word for a shell, unless it only has safe characters. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
