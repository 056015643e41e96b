/** The selection of a person's data: the search terms of an erasure, and how they are recognised outside the database. */
import { stableToken, type Environment, type JsonValue, type KeyedHash } from '../core/index.js';
import { isUuid } from '../events/index.js';

/** All that is given has to match. */
export interface Selector {
  /** Dotted path to value, as in filters of events. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly session?: string;
  /** What redaction put in a value's place. */
  readonly token?: string;
  readonly app?: string;
  readonly environment?: Environment;
}

/** What may be told of a term: where it stands, and a hash that only the account's key leads to. */
export interface SelectorFingerprint {
  readonly kind: 'metadata' | 'session' | 'token';
  /** Of metadata. */
  readonly path: string | null;
  readonly fingerprint: string;
}

/** What the key of an account hashes for something else never begins so. */
const PURPOSE = '\u0000erasure';

/** The same for the same term of one account, so that whoever knows a value can find out whether it was erased. */
export function lookedFor({ metadata, session, token }: Selector, hash: KeyedHash): SelectorFingerprint[] {
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

/** How a session's id ends that was masked before it was stored. */
export function maskedEnd(session: string, hash: KeyedHash): string {
  return stableToken('ID', session, hash);
}

/** Every value of the selector. */
export function valuesOf({ metadata, session, token }: Selector): string[] {
  return [...Object.values(metadata), session, token].filter((value) => value !== undefined);
}

/** Whether metadata holds what is looked for, however deep: the index of the log ends at some depth and length. */
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

/** Whether a text that people wrote has one of the values. */
export function mentions(text: string, selector: Selector): boolean {
  return valuesOf(selector).some((value) => hasWord(text, value));
}

/** Whether a text that people wrote is about this person: it has all of the values, since one of several may be shared with others. */
export function isAbout(text: string, selector: Selector): boolean {
  return valuesOf(selector).every((value) => hasWord(text, value));
}

/** Whether a value stands in a text as words of their own. */
export function hasWord(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const before = text.slice(0, at).at(-1) ?? '';
    const after = text.slice(at + value.length).at(0) ?? '';
    const isCut = (WORD.test(value.at(0)!) && WORD.test(before)) || (WORD.test(value.at(-1)!) && WORD.test(after));
    if (!isCut) return true;
  }
  return false;
}

/** Filters that were saved, as in the query string of `GET /v1/events`. */
type SavedFilters = readonly (readonly [name: string, value: string])[];

/**
 * What filters can find beside the app and the environment that an erasure is narrowed to: `nothing else`, `others too`, or
 * `only others`. One that is not narrowed means all that they find.
 *
 * @param ownEnvironment the only one that whoever saved them may see; null: all
 */
export function finds(
  filters: SavedFilters,
  { app, environment }: Selector,
  ownEnvironment: string | null,
): 'nothing else' | 'others too' | 'only others' {
  const asked = (name: string): string[][] =>
    filters.flatMap(([key, value]) => (key === name ? [value.split(',')] : []));
  const environments = [...asked('environment'), ...(ownEnvironment === null ? [] : [[ownEnvironment]])];
  // An app can be asked for by a name, which says nothing here.
  const apps = asked('app').filter((each) => each.every(isUuid));
  const narrowed = [
    ...(environment === undefined ? [] : [{ wanted: environment, lists: environments }]),
    ...(app === undefined ? [] : [{ wanted: app, lists: apps }]),
  ];
  if (narrowed.some(({ wanted, lists }) => lists.some((list) => !list.includes(wanted)))) return 'only others';
  const isAlone = narrowed.every(({ lists }) => lists.some(({ length }) => length === 1));
  return isAlone ? 'nothing else' : 'others too';
}

/** Whether filters of events ask for this person: they name all of the terms, each in the filter for it or in free text. */
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

/** Whether the label of a budget's window is this person's. */
export function labelNames(label: Readonly<Record<string, string | null>>, selector: Selector): boolean {
  const { metadata, session, token, app } = selector;
  if (app !== undefined && label['app'] !== undefined && label['app'] !== app) return false;
  if (token !== undefined) return Object.values(label).some((value) => value?.includes(token) === true);
  if (session !== undefined) return false;
  return Object.entries(metadata).every(([path, value]) => {
    const shown = label[`metadata.${path}`];
    // Long values are cut in labels.
    return shown === value || (shown?.endsWith('…') === true && value.startsWith(shown.slice(0, -1)));
  });
}
