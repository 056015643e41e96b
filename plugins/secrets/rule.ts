import type { MatchInfo, Pattern } from '../../src/core/plugin-api.js';
import { isMonotonous, isPlaceholder, looksRandom } from './randomness.js';

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
    validate: (match, info) => !isPlaceholder(match) && looksRandom(match) && !isNamedAsId(info),
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
  'request|response|trace|span|parent|user|customer|session|event|message|msg|order|invoice|correlation|transaction|tx|txn|block|job|task|run|thread|conversation|device|record|row|object|item|node|image|file|page|post|ticket|issue|build|batch|chat|segment|tile';
/** The name of an id directly before its value: `"request_id": "`, `trace id was "`, `etag=`. */
const NAMED_AS_ID = new RegExp(
  String.raw`(?:(?:^|[^A-Za-z])(?:${NUMBERED})[ _-]?(?:id|hash|uuid|guid)|(?:^|[^A-Za-z])(?:etag|uuid|guid|_id))["'\u0060]?\s{0,3}(?:[:=]|is|was)\s{0,3}["'\u0060]?$`,
  'i',
);
const NAME_UNITS = 32;

function isNamedAsId({ text, start }: MatchInfo): boolean {
  return NAMED_AS_ID.test(text.slice(Math.max(0, start - NAME_UNITS), start));
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
  return NAMED_AS_CREDENTIAL.test(text.slice(Math.max(0, start - NAME_UNITS), start));
}

/** Patterns of a rule in the form of the engine. */
export function patternsOf(rule: SecretRule): Pattern[] {
  return rule.shapes.map((shape) => ({ ...shape, code: rule.code }));
}
