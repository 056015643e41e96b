import type { MatchInfo, Pattern } from '../../src/core/plugin-api.js';
import { isPublicKey } from './public-keys.js';
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
 * and if the value looks random. `*` at the end of a word matches any continuation (`datadog*` also matches `datadogApiKey`). A UUID must
 * be named as a credential, or directly by one of these words.
 */
export function near(words: string | readonly string[], body: RegExp, options: ShapeOptions = {}): Shape {
  const vendors = typeof words === 'string' ? [words] : words;
  const name = nameOf(vendors);
  return {
    regex: new RegExp(`${LEFT}(?:${body.source})${RIGHT}`, body.flags),
    trigger: { on: 'context' },
    context: { words: vendors, windowUnits: NEAR_UNITS },
    against: { words: NOT_NEAR, windowUnits: 100 },
    score: 0.9,
    contextScore: 0.9,
    validate: (match, info) =>
      !isPlaceholder(match) &&
      looksRandom(match) &&
      !isSlug(match) &&
      !isInNamedPlace(match, info) &&
      !isPublicKey(match, info) &&
      isNoUnnamedUuid(match, name, info),
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
/** The id of an object in the path of a URL: `/projects/`, `/result/`, `/badges/`; or a person's name there: `linkedin.com/in/`. */
const IN_PATH_OF_OBJECT = new RegExp(
  String.raw`\/(?:(?:${NUMBERED}|project|workspace|organization|org|report|result|asset|space|collection|document|avatar)s?|entries|in|badges?(?:\/[A-Za-z]{2,12})?|grade|coverage)\/$`,
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

/** A line of a list of checksums: the hash, two signs, and the name of the file. */
const LINE_START = /(?:^|[\r\n])$/;
const FILE_AFTER = /^ [ *][\w+@-]{0,24}[./]\w/;

function isNamedAsHash(match: string, info: MatchInfo): boolean {
  const name = nameBefore(info);
  if (NAMED_AS_SUM.test(name)) return true;
  if (!HASH.test(match)) return false;
  const isListed = LINE_START.test(name) && FILE_AFTER.test(info.text.slice(info.end, info.end + NAME_UNITS));
  return isListed || NAMED_AS_HASH.test(name);
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
    validate: (match, info) => isNamedAsCredential(info) && !isInPath(info) && shape.validate?.(match, info) !== false,
  };
}

/** Most ids are UUIDs, so one near a vendor's name is a credential only if it is named as one, or if that name is its own name. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The groups with which a UUID begins, before a value that is the rest of it. */
const UUID_BEGIN = /(?<![0-9a-f])[0-9a-f]{8}-(?:[0-9a-f]{4}-){0,3}$/i;

function isNoUnnamedUuid(match: string, vendor: RegExp, info: MatchInfo): boolean {
  const begin = UUID_BEGIN.exec(nameBefore(info))?.[0] ?? '';
  if (!UUID.test(begin + match)) return true;
  const whole = { ...info, start: info.start - begin.length };
  if (CREDENTIAL_PART.test(nameBefore(whole))) return true;
  return (isNamedAsCredential(whole) || isNamed(vendor, whole)) && !isInPath(whole);
}

/** An expression for names that end with a vendor's word, or begin with one that may continue. */
function nameOf(vendors: readonly string[]): RegExp {
  const names = vendors.map((word) => {
    const pattern = word.replaceAll('.', String.raw`\.`).replace(/[ -]/g, '[ _-]?');
    return pattern.endsWith('*') ? `${pattern.slice(0, -1)}[\\w-]{0,20}` : pattern;
  });
  return new RegExp(`(?:${names.join('|')})$`, 'i');
}

/** The signs of an assignment or of a call between a name and its value. */
const ASSIGNMENT = /["'\u0060]?\]?\s{0,3}(?:=>?|:{1,2}=?|\(|is|was)?\s{0,3}[("'\u0060]{0,3}$/;
/** A name that says that its value is the id of an object; ids of clients and keys are parts of credentials. */
const ID_NAME = /(?:[_-][Ii][Dd]|[a-z]I[Dd])$/;
const CREDENTIAL_ID_NAME = /(?:client|key|access)[_-]?id$/i;

/** Whether a value has a name that `vendor` matches, directly before it or as its JSON key. */
function isNamed(vendor: RegExp, info: MatchInfo): boolean {
  const before = nameBefore(info);
  const names = [before.slice(0, ASSIGNMENT.exec(before)?.index)];
  if (info.key !== undefined && isAlone(info)) names.push(info.key);
  return names.some((name) => vendor.test(name) && (!ID_NAME.test(name) || CREDENTIAL_ID_NAME.test(name)));
}

/** The end of a part of a path, and the end of one after which a credential can follow. */
const PATH_PART = /[\w.%~-]\/$/;
const CREDENTIAL_PART = /(?:token|key|secret|credential|hook|input)s?\/$/i;

/** Whether a value is a part of a path or of a URL, which names an object. */
function isInPath(info: MatchInfo): boolean {
  const before = nameBefore(info);
  return PATH_PART.test(before) && !CREDENTIAL_PART.test(before);
}

const CREDENTIAL_NAME =
  'token(?!s|iz)|secret(?!ar)|passw|pwd|credential|key(?!board|frame|note|point|word)|(?<![a-z])(?:api|auth)(?![a-z])';
const CREDENTIAL_KEY = new RegExp(CREDENTIAL_NAME, 'i');
/** The name is part of the same field, item or line. */
const NAMED_AS_CREDENTIAL = new RegExp(String.raw`(?:${CREDENTIAL_NAME})[^,;{}\n]{0,24}$`, 'i');

function isNamedAsCredential(info: MatchInfo): boolean {
  if (info.key !== undefined && isAlone(info) && CREDENTIAL_KEY.test(info.key)) return true;
  return NAMED_AS_CREDENTIAL.test(nameBefore(info));
}

/** Whether a value is nearly all of its text, so that the JSON key of the text names it. */
function isAlone({ text, start, end }: MatchInfo): boolean {
  return start < NAME_UNITS && text.length - end < NAME_UNITS;
}

/** Patterns of a rule in the form of the engine. */
export function patternsOf(rule: SecretRule): Pattern[] {
  return rule.shapes.map((shape) => ({ ...shape, code: rule.code }));
}
