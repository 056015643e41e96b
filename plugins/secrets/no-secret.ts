import type { MatchInfo } from '../../src/core/plugin-api.js';
import { looksLikeWords } from './randomness.js';

/** Names and values that are none of a secret, although a name contains a word such as `key`. */
const NO_SECRET_SUFFIX =
  /(?:ids?|name|hash|length|size|types?|count|event|url|uri|path|file|dir|ref|index|field|column|label|title|format|alg|algorithm|policy|version|limit|expir\w*|ttl|var|variable|usage|pressed|pair|str|frames?|distance|arn|vault\w*|to_?store\w*|board|word)["'`\]]*$/i;
const NO_SECRET_PREFIX =
  /(?:public|pub|publishable|foreign|primary|sort|partition|non\w*|hot|idempotency|cache|translation|i18n)[_-]?$/i;
/** The key of a site for a captcha, which each of its pages shows. */
const SITE = /(?:(?:^|[^A-Za-z])site|[a-z]Site|(?:^|[^A-Z])SITE)[_-]?$/;
/** Places in lists, such as `nextPageToken`: they are called tokens and grant nothing. */
const PLACE = /(?:next(?:[_-]?page)?|continuation|(?<!a)sync|pagination|resume)[_-]?$/i;
const PAGE = /[pP]age$/;
/** Longer than each of these words with a sign behind it. */
const PREFIX_UNITS = 20;

/** Whether the text before a word such as `token` makes it the name of something else. */
function isNoSecretPrefix(before: string, word: string): boolean {
  if (NO_SECRET_PREFIX.test(before)) return true;
  return /^key/i.test(word) ? SITE.test(before) : /^token/i.test(word) && isPlace(before, word);
}

function isPlace(before: string, token: string): boolean {
  return PLACE.test(before) || (token.startsWith('T') && PAGE.test(before));
}

/** `credentialsId`, `key_length`, `public_key`, `keyboard`: names that contain one of the words but do not denote a secret. */
export function isNoSecretName(info: MatchInfo): boolean {
  const whole = info.groups[0] ?? '';
  const rest = info.groups[1] ?? '';
  const before = textBefore(info);
  if (NO_SECRET_SUFFIX.test(rest) || isNoSecretPrefix(before, whole)) return true;
  // Short words count only as separate words, not inside `monkey`, `keyboard` or `author`.
  const short = /^(?:key|auth|pass|pwd)/i.exec(whole)?.[0];
  if (short === undefined) return false;
  return /[a-z]$/.test(before) && /^[a-z]/.test(whole)
    ? true
    : /^[a-z]/.test(rest) && !/^(?:s|words?|phrases?)\b/.test(rest);
}

/** Names of the tokens with which a page protects its own forms; each page shows them. */
const FORM = /(?:[cx]srf|authenticity|verification|forgery)[_-]?(?:middleware)?$/i;

/** Whether a name is that of a token that protects a form. */
export function isFormToken(info: MatchInfo): boolean {
  return FORM.test(textBefore(info));
}

/** The text before the word that names a secret. */
function textBefore({ text, start, groups }: MatchInfo): string {
  const whole = groups[0] ?? '';
  const at = Math.max(0, text.indexOf(whole, Math.max(0, start - whole.length)));
  return text.slice(Math.max(0, at - PREFIX_UNITS), at);
}

/** Whether a JSON key names a place in a list. */
export function isPlaceName(key: string): boolean {
  const [, before = '', word] = /^(.*)(token)/is.exec(key.slice(-128)) ?? [];
  return word !== undefined && isPlace(before, word);
}

const NO_VALUE =
  /^(?:https?|ftp|file|data|urn|arn|sha\d{1,3}|md5|io|com|org)[:.-]|^[a-z][a-z0-9+.-]{1,24}:\/\/|^[./~]|^[\^~<>=v]{0,2}\d+\.\d+|^\$|\$\{|\{\{|^[A-Za-z_]+\d{0,4}\.[A-Za-z_.]+(?:\.\w+)?$|::|->|process\.env|os\.environ|getenv|\.(?:js|ts|py|json|ya?ml|html?|md|txt|png|pem|crt|key|com|org|net|io)$/i;
/** Files of other kinds, in buckets and in links. */
const OTHER_FILE =
  /\.(?:pdf|csv|tsv|xml|css|jpe?g|gif|webp|svg|mp[34]|mov|wav|docx?|xlsx?|pptx?|zip|t?gz|tar|bz2|jar|log|sql|parquet|avro|toml|conf|ipynb)$/i;
const TIME = /^\d{4}-\d\d-\d\d[T_]\d\d:?\d\d/;

/** Whether a value is code, a path or a reference in the position of a secret. */
export function isCode(value: string, info: MatchInfo): boolean {
  const next = info.text[info.end];
  if (next === '(' || next === '[') return true;
  if (NO_VALUE.test(value)) return true;
  return /^[A-Za-z]+(?:[_-][A-Za-z]+)*\d{0,2}$/.test(value) && looksLikeWords(value);
}

/** Whether a value is a time, a file or a path of names in the position of a random value. */
export function isFileOrTime(value: string): boolean {
  return OTHER_FILE.test(value) || TIME.test(value) || isPath(value);
}

/** A number, or a few letters and digits, in a name. */
const SHORT_PIECE = /^(?:\d{0,14}|[A-Za-z]{1,3}\d{0,4}|\d{1,4}[A-Za-z]{1,2})$/;

/** Whether a value is a path of names and numbers, such as the key of an object in a bucket. No random value has only such parts. */
function isPath(value: string): boolean {
  if (!value.includes('/')) return false;
  const pieces = value.split(/[/._=+-]+/);
  const words = pieces.filter((piece) => /^[A-Za-z]{4,}$/.test(piece) && looksLikeWords(piece));
  return words.length > 0 && pieces.every((piece) => words.includes(piece) || SHORT_PIECE.test(piece));
}

/** The parameters of a URL after a value: `abc&name=…`. */
const PARAMETERS = /&[\w.-]{1,40}=[^]*$/;

/** A value without the parameters of a URL that follow it. */
export function withoutParameters(value: string): string {
  return value.replace(PARAMETERS, '');
}

/** Templates, patterns, tags, calls and lists of names in the position of a value in quotation marks. */
const CODE_IN_QUOTES =
  /\{\{|\{[\w.:]{0,40}\}|\{\d{1,4},?\d{0,4}\}|<%|<\/?[A-Za-z][\w-]{0,40}>|%[({]|\(\?|\[[^\]]{0,12}\w-\w[^\]]{0,12}\]|^[[{(<^/.]|^[A-Za-z_][\w.-]{0,60}\(.{0,200}\)$|\(\)|=>|:\/\//;

/** Whether a value in quotation marks is code. */
export function isCodeInQuotes(value: string): boolean {
  return CODE_IN_QUOTES.test(value) || NO_VALUE.test(value) || isFileOrTime(value);
}
