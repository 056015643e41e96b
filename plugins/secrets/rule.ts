import type { MatchInfo, Pattern } from '../../src/core/plugin-api.js';
import { isMonotonous, isPlaceholder, looksRandom } from './randomness.js';

/** One credential type: its code, its name, where the vendor describes the format, and how it is recognised. */
export interface SecretRule {
  readonly code: string;
  readonly title: string;
  /** The vendor's page on the format, or on how the credential is made. */
  readonly page: string;
  readonly shapes: readonly Shape[];
}

export type Shape = Omit<Pattern, 'code'>;

/** A form that only one vendor uses is reported even with an invented rest, as in documentation, but with less weight. */
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

/** Not inside a longer word on the left; `KEY_ghp_…` and `"ghp_…` are both fine. */
const LEFT = '(?<![A-Za-z0-9])';
/** Not inside a longer run of the same kind of characters on the right. */
const RIGHT = '(?![A-Za-z0-9_-])';

/**
 * A credential that carries its vendor's mark: found anywhere. `body` starts with one of the `literals`, has bounded
 * quantifiers only, and is put between boundaries here.
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

/** Like `marked`, with boundaries of its own inside `regex`. */
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
 * A credential without a mark: only where one of the vendor's words stands in the 60 units before it, or is the JSON
 * key, and only when the value looks random. A word with `*` may go on (`datadog*` also stands for `datadogApiKey`).
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
/** Hashes of files and commits look like keys. */
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

/** What a service numbers: ids of it open nothing. Those of keys, clients, projects and accounts belong to credentials. */
const NUMBERED =
  'request|response|trace|span|parent|user|customer|session|event|message|msg|order|invoice|correlation|transaction|tx|txn|block|job|task|run|thread|conversation|device|record|row|object|item|node|image|file|page|post|ticket|issue|build|batch|chat';
/** The name of a value, in front of it: `"request_id": "`, `trace id was "`, `etag=`. */
const NAMED_AS_ID = new RegExp(
  String.raw`(?:(?:^|[^A-Za-z])(?:${NUMBERED})[ _-]?(?:id|hash|uuid|guid)|(?:^|[^A-Za-z])(?:etag|uuid|guid|_id))["'\u0060]?\s{0,3}(?:[:=]|is|was)\s{0,3}["'\u0060]?$`,
  'i',
);
const NAME_UNITS = 32;

function isNamedAsId({ text, start }: MatchInfo): boolean {
  return NAMED_AS_ID.test(text.slice(Math.max(0, start - NAME_UNITS), start));
}

/** Patterns of a rule as the engine takes them. */
export function patternsOf(rule: SecretRule): Pattern[] {
  return rule.shapes.map((shape) => ({ ...shape, code: rule.code }));
}
