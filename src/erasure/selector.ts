/** The selection of a person's data: the search terms of an erasure, and how they are recognised outside the database. */
import { stableToken, type Environment, type JsonValue, type KeyedHash } from '../core/index.js';
import { isUuid } from '../events/index.js';

/** All given terms must match. */
export interface Selector {
  /** Dotted path to value, as in filters of events. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly session?: string;
  /** The token that redaction put in place of a value. */
  readonly token?: string;
  readonly app?: string;
  readonly environment?: Environment;
}

/** The public data of a search term: its place, and a hash that can be computed only with the account's key. */
export interface SelectorFingerprint {
  readonly kind: 'metadata' | 'session' | 'token';
  /** The path of a metadata term. */
  readonly path: string | null;
  readonly fingerprint: string;
}

/** Prefix of these hash inputs: no other input of the account's key begins with it. */
const PURPOSE = '\u0000erasure';

/** Fingerprints of the terms, equal for equal terms of one account: a user who knows a value can find out whether it was erased. */
export function fingerprintsOf({ metadata, session, token }: Selector, hash: KeyedHash): SelectorFingerprint[] {
  const one = (kind: SelectorFingerprint['kind'], value: string, path: string | null = null): SelectorFingerprint => {
    const digest = hash([PURPOSE, kind, path ?? '', value].join('\n'));
    return { kind, path, fingerprint: Buffer.from(digest).toString('hex') };
  };
  return [
    ...Object.entries(metadata).map(([path, value]) => one('metadata', value, path)),
    ...(session === undefined ? [] : [one('session', session)]),
    ...(token === undefined ? [] : [one('token', token)]),
  ];
}

/** The end of a session's id that was masked before storage. */
export function maskedEnd(session: string, hash: KeyedHash): string {
  return stableToken('ID', session, hash);
}

/** Every value of the selector. */
export function valuesOf({ metadata, session, token }: Selector): string[] {
  return [...Object.values(metadata), session, token].filter((value) => value !== undefined);
}

/** Whether metadata contains the wanted values at any depth: the index of the log is limited in depth and length. */
export function metadataMatches(text: string | null, wanted: Selector['metadata']): boolean {
  if (text === null) return false;
  const found = new Set([...leaves(JSON.parse(text) as JsonValue, '')].map(([path, value]) => `${path}\n${value}`));
  return Object.entries(wanted).every(([path, value]) => found.has(`${path}\n${value}`));
}

function* leaves(value: JsonValue, path: string): Generator<[path: string, value: string]> {
  if (typeof value !== 'object' || value === null) yield [path, String(value)];
  else if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) yield* leaves(item, path);
  else {
    for (const [key, inner] of Object.entries(value)) yield* leaves(inner, path === '' ? key : `${path}.${key}`);
  }
}

const WORD = /[\p{L}\p{N}_]/u;

/** Whether a text that a user wrote contains one of the values. */
export function mentions(text: string, selector: Selector): boolean {
  return valuesOf(selector).some((value) => hasWord(text, value));
}

/** Whether a text that a user wrote is about this person: it must contain all of the values, since others may share one of them. */
export function isAbout(text: string, selector: Selector): boolean {
  return valuesOf(selector).every((value) => hasWord(text, value));
}

/** Whether a text contains a value as separate words. */
export function hasWord(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const before = text.slice(0, at).at(-1) ?? '';
    const after = text.slice(at + value.length).at(0) ?? '';
    const isCut = (WORD.test(value.at(0)!) && WORD.test(before)) || (WORD.test(value.at(-1)!) && WORD.test(after));
    if (!isCut) return true;
  }
  return false;
}

/** Saved filters, as in the query string of `GET /v1/events`. */
type SavedFilters = readonly (readonly [name: string, value: string])[];

/**
 * Compares the events that filters find with the app and environment to which an erasure is narrowed: they find events of these and
 * `nothing else`, `others too`, or `only others`. If the erasure is not narrowed, it covers all events that they find: `nothing else`.
 *
 * @param ownEnvironment the only environment that the author of the filters may see; null: all
 */
export function finds(
  filters: SavedFilters,
  { app, environment }: Selector,
  ownEnvironment: string | null,
): 'nothing else' | 'others too' | 'only others' {
  const asked = (name: string): string[][] =>
    filters.flatMap(([key, value]) => (key === name ? [value.split(',')] : []));
  const environments = [...asked('environment'), ...(ownEnvironment === null ? [] : [[ownEnvironment]])];
  // Filters by the name of an app are ignored: the selector has only its id.
  const apps = asked('app').filter((each) => each.every(isUuid));
  const narrowed = [
    ...(environment === undefined ? [] : [{ wanted: environment, lists: environments }]),
    ...(app === undefined ? [] : [{ wanted: app, lists: apps }]),
  ];
  if (narrowed.some(({ wanted, lists }) => lists.some((list) => !list.includes(wanted)))) return 'only others';
  const isAlone = narrowed.every(({ lists }) => lists.some(({ length }) => length === 1));
  return isAlone ? 'nothing else' : 'others too';
}

/** Whether filters of events ask for this person: they contain all terms, each in its own filter or in free text. */
export function filtersName(filters: SavedFilters, selector: Selector): boolean {
  const { metadata, session, token } = selector;
  const asks = (name: string, value: string): boolean =>
    filters.some(([key, given]) =>
      key.replace(/^not\./, '') === name ? given === value : key === 'q' && given.includes(value),
    );
  return [
    ...Object.entries(metadata).map(([path, value]) => asks(`metadata.${path}`, value)),
    ...(session === undefined ? [] : [asks('session', session)]),
    ...(token === undefined ? [] : [filters.some(([, given]) => given.includes(token))]),
  ].every(Boolean);
}

/** Whether the label of a budget's window names this person. */
export function labelNames(label: Readonly<Record<string, string | null>>, selector: Selector): boolean {
  const { metadata, session, token, app } = selector;
  if (app !== undefined && label['app'] !== undefined && label['app'] !== app) return false;
  if (token !== undefined) return Object.values(label).some((value) => value?.includes(token) === true);
  if (session !== undefined) return false;
  return Object.entries(metadata).every(([path, value]) => {
    const shown = label[`metadata.${path}`];
    // Labels truncate long values.
    return shown === value || (shown?.endsWith('…') === true && value.startsWith(shown.slice(0, -1)));
  });
}
