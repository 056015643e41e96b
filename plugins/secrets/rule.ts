import type { MatchInfo, Pattern } from '../../src/core/plugin-api.js';
import { isMonotonous, isPlaceholder, looksLikeWords, looksRandom } from './randomness.js';

/** One type of credential: its code, its name, the vendor's page, and the patterns that recognise it. */
export interface SecretRule {
  readonly code: string;
  readonly title: string;
  /** The vendor's page on the format or on the creation of the credential. */
  readonly page: string;
  readonly shapes: readonly Shape[];
}

export type Shape = Omit<Pattern, 'code'>;

/** A form unique to one vendor is reported even if the rest is invented, as in documentation, but with a lower score. */
function markedValue(match: string): boolean | number {
  if (isPlaceholder(match)) return false;
  return isMonotonous(match) ? 0.55 : true;
}

/**
 * A check for forms that names in code can have as well (`fw_…`): false if the value reads as words without `mark`, and otherwise as strict
 * as for other forms.
 */
export function unlessWords(mark: RegExp): (match: string) => boolean | number {
  return (match) => !looksLikeWords(match.replace(mark, '')) && markedValue(match);
}

interface ShapeOptions {
  readonly score?: number;
  readonly contextScore?: number;
  readonly group?: number;
  readonly validate?: Shape['validate'];
}

/** Left boundary: not inside a longer word; `KEY_ghp_…` and `"ghp_…` are both allowed. */
const LEFT = '(?<![A-Za-z0-9])';
/** Right boundary: no further characters of the same kind. */
const RIGHT = '(?![A-Za-z0-9_-])';

/**
 * The shape of a credential with a mark of its vendor, such as a prefix; it is found anywhere. `body` starts with one of the `literals` and
 * has bounded quantifiers only; the boundaries are added here.
 */
export function marked(literals: string | readonly string[], body: RegExp, options: ShapeOptions = {}): Shape {
  return {
    regex: new RegExp(`${LEFT}(?:${body.source})${RIGHT}`, body.flags),
    trigger: { on: 'literals', literals: typeof literals === 'string' ? [literals] : literals },
    score: 0.95,
    validate: markedValue,
    ...options,
  };
}

/** Right boundary of base64: `+` and `/` are further characters as well. */
const RIGHT_OF_BASE64 = '(?![A-Za-z0-9+/_-])';

/**
 * Like `marked`, for long credentials with `+` and `/` among their characters: the match does not end before one of them. Not tried near
 * the beginning of another credential of this kind, whose match goes on here.
 */
export function markedBase64(literals: string | readonly string[], body: RegExp, options: ShapeOptions = {}): Shape {
  const marks = typeof literals === 'string' ? [literals] : literals;
  const begun = `(?:^|[^A-Za-z0-9])(?:${marks.join('|')})[A-Za-z0-9+/_-]{0,40}`;
  const regex = new RegExp(`${LEFT}(?<!${begun})(?:${body.source})${RIGHT_OF_BASE64}`, body.flags);
  return { ...marked(marks, body, options), regex };
}

/** Like `marked`, but `regex` contains its own boundaries. */
export function anchored(
  literals: string | readonly string[],
  regex: RegExp,
  options: ShapeOptions & { readonly before?: number; readonly sparesWords?: number } = {},
): Shape {
  const { before, ...rest } = options;
  return {
    regex,
    trigger: {
      on: 'literals',
      literals: typeof literals === 'string' ? [literals] : literals,
      ...(before === undefined ? {} : { before }),
    },
    score: 0.95,
    validate: markedValue,
    ...rest,
  };
}

/**
 * The shape of a credential without a mark; it is found only if one of the vendor's words is in the 60 units before it or is the JSON key,
 * and if the value looks random. `*` at the end of a word matches any continuation (`datadog*` also matches `datadogApiKey`).
 */
export function near(words: string | readonly string[], body: RegExp, options: ShapeOptions = {}): Shape {
  return {
    regex: new RegExp(`${LEFT}(?:${body.source})${RIGHT}`, body.flags),
    trigger: { on: 'context' },
    context: { words: typeof words === 'string' ? [words] : words, windowUnits: NEAR_UNITS },
    against: { words: NOT_NEAR, windowUnits: 100 },
    score: 0.9,
    contextScore: 0.9,
    validate: (match, info) =>
      !isPlaceholder(match) && looksRandom(match) && !isSlug(match) && !isInNamedPlace(match, info),
    ...options,
  };
}

const NEAR_UNITS = 60;
/** Words that announce hashes of files and commits, which look like keys. */
const NOT_NEAR = [
  'integrity',
  'sha512',
  'sha256',
  'sha1',
  'md5',
  'checksum',
  'commit',
  'digest',
  'fingerprint',
  'etag',
];

/** Objects whose ids grant no access. Ids of keys, clients, projects and accounts are missing, as they are parts of credentials. */
const NUMBERED =
  'request|response|trace|span|parent|user|customer|session|event|message|msg|order|invoice|correlation|transaction|tx|txn|block|job|task|run|thread|conversation|channel|team|board|card|section|member|contact|profile|visitor|subscriber|distinct|anonymous|device|record|row|object|item|node|image|file|page|post|ticket|issue|build|batch|chat|segment|tile';
/** The name of an id directly before its value: `"request_id": "`, `trace id was "`, `etag=`. */
const NAMED_AS_ID = new RegExp(
  String.raw`(?:(?:^|[^A-Za-z])(?:${NUMBERED})[ _-]?(?:id|hash|uuid|guid)|(?:^|[^A-Za-z])(?:etag|uuid|guid|_id))["'\u0060]?\s{0,3}(?:[:=]|is|was)\s{0,3}["'\u0060]?$`,
  'i',
);
/** The id of an object in the path of a URL: `/projects/`, `/result/`. */
const IN_PATH_OF_OBJECT = new RegExp(
  String.raw`\/(?:(?:${NUMBERED}|project|workspace|organization|org|report|result|asset|space|collection|document)s?|entries)\/$`,
);
const NAME_UNITS = 32;
/** Ids of accounts are parts of credentials elsewhere, but those of Atlassian are in each of its answers. */
const ACCOUNT_ID = /^[0-9a-f]{24}$/;
const NAMED_AS_ACCOUNT = /account[ _-]?id["'\u0060]?\s{0,3}(?:[:=]|%3[Dd]|is)\s{0,3}["'\u0060]?$/i;

function isNamedAsId(match: string, info: MatchInfo): boolean {
  const name = nameBefore(info);
  if (ACCOUNT_ID.test(match) && NAMED_AS_ACCOUNT.test(name)) return true;
  return NAMED_AS_ID.test(name) || IN_PATH_OF_OBJECT.test(name);
}

/** Hashes of commits and files in the places where only such hashes are, next to names of vendors: those of packages and repositories. */
const HASH = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/;
const NAMED_AS_HASH = new RegExp(
  [
    // A place in a repository, the version of an action (`owner/name@…`), and a package or repository in a lock file.
    String.raw`\/(?:blob|tree|raw|blame|commits?|compare|archive|tarball|zipball)\/$`,
    String.raw`[0-9a-f]{7}\.{2,3}$`,
    String.raw`[\w.-]\/[\w.-]{1,29}@$`,
    String.raw`\.(?:git|tgz|zip|gz)[#@]$`,
    // The name of a revision, and a file of a web page with its hash.
    String.raw`(?:^|[^A-Za-z])(?:rev|revision|sha)(?:_?[Ii]d)?["']?\s{0,2}[:=]\s{0,2}["']?$`,
    String.raw`\.(?:[cm]?[jt]sx?|css|map|wasm)["']?\s{0,2}[:=,]\s{0,2}["']$`,
  ].join('|'),
);
/** The checksum of a module of Go, or its beginning: `h1:` and base64. */
const NAMED_AS_SUM = /(?:^|\s)h1:[A-Za-z0-9+/]{0,28}$/;

function isNamedAsHash(match: string, info: MatchInfo): boolean {
  const name = nameBefore(info);
  return NAMED_AS_SUM.test(name) || (HASH.test(match) && NAMED_AS_HASH.test(name));
}

/** The part of a URL or of a path before a value with slashes, which is then the rest of it. */
const IN_PATH = /(?:\.[A-Za-z]{2,12}(?::\d{1,5})?|:{2,3}[\w.-]{1,24}|\/[\w.%+-]{1,29})\/$/;
/** The last part of a host name, and the beginning of a path. */
const TOP_LEVEL = /^[a-z]{2,12}\//;

/** Whether the text before a value says that it is an id, a hash or a path. */
function isInNamedPlace(match: string, info: MatchInfo): boolean {
  const before = nameBefore(info);
  if (match.includes('/') && (IN_PATH.test(before) || (before.endsWith('.') && TOP_LEVEL.test(match)))) return true;
  return isNamedAsId(match, info) || isNamedAsHash(match, info);
}

/** Numbers, versions and short words in a name such as `my-service-2024-05-17-rc1`. */
const SHORT_PART = /^(?:\d{1,8}|[A-Za-z]{1,4}\d{1,3}|[A-Za-z]{1,3})$/;

/** Whether a value is a name of several words and numbers. No random value has only such parts. */
function isSlug(match: string): boolean {
  const parts = match.split(/[-_.]+/);
  if (parts.length < 4) return false;
  const words = parts.filter((part) => /^[A-Za-z]{4,}$/.test(part) && looksLikeWords(part));
  return words.length > 0 && parts.every((part) => words.includes(part) || SHORT_PART.test(part));
}

/** The text directly before a value, in which it may be named. */
export function nameBefore({ text, start }: Pick<MatchInfo, 'text' | 'start'>): string {
  return text.slice(Math.max(0, start - NAME_UNITS), start);
}

/**
 * Like `near`, for vendors whose name is also an ordinary word (`zoom`, `segment`) and can be near any id: the value must also be named as
 * a credential, directly before it or by its JSON key.
 */
export function nearNamed(words: string | readonly string[], body: RegExp): Shape {
  const shape = near(words, body);
  return {
    ...shape,
    validate: (match, info) => isNamedAsCredential(info) && shape.validate?.(match, info) !== false,
  };
}

const CREDENTIAL_NAME =
  'token(?!s|iz)|secret(?!ar)|passw|pwd|credential|key(?!board|frame|note|point|word)|(?<![a-z])(?:api|auth)(?![a-z])';
const CREDENTIAL_KEY = new RegExp(CREDENTIAL_NAME, 'i');
/** The name is part of the same field, item or line. */
const NAMED_AS_CREDENTIAL = new RegExp(String.raw`(?:${CREDENTIAL_NAME})[^,;{}\n]{0,24}$`, 'i');

function isNamedAsCredential({ text, start, end, key }: MatchInfo): boolean {
  // A key names a value that is nearly all of its text.
  const isAlone = start < NAME_UNITS && text.length - end < NAME_UNITS;
  if (isAlone && key !== undefined && CREDENTIAL_KEY.test(key)) return true;
  return NAMED_AS_CREDENTIAL.test(nameBefore({ text, start }));
}

/** Patterns of a rule in the form of the engine. */
export function patternsOf(rule: SecretRule): Pattern[] {
  return rule.shapes.map((shape) => ({ ...shape, code: rule.code }));
}
