import type { MatchInfo } from '../../src/core/plugin-api.js';
import {
  isCode,
  isCodeInQuotes,
  isFileOrTime,
  isFormToken,
  isNoSecretName,
  isPlaceName,
  withoutParameters,
} from './no-secret.js';
import { isPublicKey } from './public-keys.js';
import { entropy, isMonotonous, isPlaceholder, looksLikeWords, looksRandom } from './randomness.js';
import type { SecretRule, Shape } from './rule.js';

/**
 * Secrets of unknown formats: a word that names a secret, an assignment, and a value that looks random. A password chosen by a person
 * does not look random; it has a separate code, which is disabled by default.
 */
const KEY_WORDS = [
  ...['api_key', 'api-key', 'apikey', 'api key', 'api_token', 'api token', 'apitoken'],
  ...['secret', 'token', 'credential', 'creds', 'access_key', 'access-key', 'accesskey', 'access key'],
  ...['private_key', 'private-key', 'privatekey', 'private key', 'client_key', 'client-key', 'signing key'],
  ...['encryption key', 'license key', 'auth', 'key', 'webhook'],
];
const PASSWORD_WORDS = [
  ...['password', 'passwd', 'passphrase', 'passwort', 'kennwort', 'pwd', 'pass'],
  ...['contraseña', 'mot de passe', 'senha', 'wachtwoord', 'parola'],
];

/** The rest of the name; then `=`, `:`, `=>`, `,`, "is" or the end of an XML tag; then characters that can open a value. */
const ASSIGN = String.raw`([\w.-]{0,24}["'\x60\]]{0,2})(?:\s{0,4}(?:[?:]{0,2}=>?|={1,3}|:|,|\|{1,2}|<-|->|\.=|>)\s{0,4}|\s{1,4}(?:is|was|ist|string|string =|=|-)\s{1,4})(?:(?:string|str|new)\s)?(?:[bBrRuUfFL]{1,2}(?=["']))?[("'\x60@{[<]{0,3}\s?(?:(?:Bearer|Basic|Token|X-[\w-]{1,20}|[a-z]{3,20} AQAAABAAA|AQAAABAAA)\s)?`;
/** A value of usual length, or a long one. The latter has no signs of an assignment in it, so that values do not overlap. */
const VALUE = String.raw`([A-Za-z0-9_+/=.~!#%^&*@$:|-]{8,200}|[A-Za-z0-9_+/.~%-]{201,4096}={0,2})`;
/** A value that is too long does not end at one of its own dots: the rest of the secret would stay. */
const END = String.raw`(?![A-Za-z0-9_+/=~%-]|\.[A-Za-z0-9_-])`;
/** Between a name and its value, if the value has a name of its own, in JSON, YAML and XML. */
const PAIR = String.raw`([\w.-]{0,24}["'\x60]?)(?:\s{0,4}[,;]\s{0,40}|\s{1,40}|<\/[\w.-]{1,16}>\s{0,40}<)["'\x60]?(?:parameter|android:|default)?value["'\x60]?\s{0,4}(?:=>?|:|>)\s{0,4}["'\x60]?(?:(?:Bearer|Basic|Token)\s)?`;
/** The rest of the name, and a value between quotation marks without white space. */
const QUOTED = String.raw`([\w.-]{0,24}["'\x60\]]{0,2})\s{0,4}(?:[?:]{0,2}=>?|={1,3}|:|,)\s{0,4}[bBrRuUfFL]{0,2}["'\x60]([!#-&(-\[\]-_a-~]{16,200})["'\x60]`;

type Check = (value: string, info: MatchInfo) => boolean | number;

/** The word that names a secret, in all its spellings. */
function sourceOf(words: readonly string[]): string {
  return [...new Set(words.map((word) => word.replace(/[-_ ]/g, String.raw`[\s_-]?`)))].join('|');
}

function assigned(words: readonly string[], score: number, check: Check): Shape {
  return named(words, `${ASSIGN}${VALUE}${END}`, score, (value, info) => {
    const verdict = check(value, info);
    return verdict === false ? check(withoutParameters(value), info) : verdict;
  });
}

/** As `assigned`, if the value has a name of its own: `"name": "API_KEY", "value": "…"`. */
function paired(words: readonly string[], score: number, check: Check): Shape {
  return named(words, `${PAIR}${VALUE}${END}`, score, (value, info) => !isFormToken(info) && check(value, info));
}

/** As `assigned`, for values in quotation marks with brackets and other signs that end a value without them. */
function quoted(words: readonly string[], score: number): Shape {
  return named(words, QUOTED, score, isQuotedSecret);
}

/** A shape whose second group is the value; the first is the rest of its name. */
function named(words: readonly string[], rest: string, score: number, check: Check): Shape {
  return {
    regex: new RegExp(`(?:${sourceOf(words)})${rest}`, 'i'),
    trigger: { on: 'literals', literals: words },
    group: 2,
    score,
    validate: (value, info) => (isNoSecretName(info) ? false : check(value, info)),
  };
}

/** A JSON value or other text that is identified by its key alone. */
function keyed(keys: readonly string[], score: number, check: Check): Shape {
  return {
    regex: /(?<![^\s"'])[^\s"']{6,4096}(?![^\s"'])/,
    trigger: { on: 'context' },
    keys,
    score: 0,
    contextScore: score,
    validate: (value, info) => {
      const isWhole = info.start === 0 && info.end === info.text.length;
      return isWhole && !isPlaceName(info.key ?? '') && check(value, info);
    },
  };
}

const TOKEN_KEYS = ['api key', 'apikey', 'secret', 'token', 'access key', 'private key', 'credential', 'secret key'];
const PASSWORD_KEYS = ['password', 'passwd', 'passphrase', 'pwd'];

export const GENERIC_RULES: readonly SecretRule[] = [
  {
    code: 'generic_secret',
    title: 'Random value with a name such as api_key',
    page: 'https://cwe.mitre.org/data/definitions/798.html',
    shapes: [
      assigned(KEY_WORDS, 0.7, isToken),
      assigned(PASSWORD_WORDS, 0.7, isMachinePassword),
      paired(KEY_WORDS, 0.7, isToken),
      paired(PASSWORD_WORDS, 0.7, isMachinePassword),
      quoted(KEY_WORDS, 0.6),
      quoted(PASSWORD_WORDS, 0.6),
      keyed(TOKEN_KEYS, 0.7, isToken),
      keyed(PASSWORD_KEYS, 0.7, isMachinePassword),
    ],
  },
  {
    code: 'password',
    title: 'Password chosen by a person',
    page: 'https://cwe.mitre.org/data/definitions/798.html',
    shapes: [assigned(PASSWORD_WORDS, 0.6, isPassword), keyed(PASSWORD_KEYS, 0.6, isPassword)],
  },
];

/** How public keys of OpenSSH and X.509 begin in base64. They are as long as tokens, and their name may be `key`. */
const PUBLIC_KEY =
  /^(?:AAAA[BC]3NzaC1|AAAAE2VjZHNh|AAAA[GI]nNr|MII[BC]IjANBgkqhkiG9w0BAQEFAAOC|MIGfMA0GCSqGSIb3DQEBAQ|MFkwEwYHKoZIzj0|MHYwEAYHKoZIzj0|MCowBQYDK2V)/;

function isToken(value: string, info: MatchInfo): boolean | number {
  if (isCode(value, info) || isPlaceholder(value) || isMonotonous(value)) return false;
  if (PUBLIC_KEY.test(value) || isPublicKey(value, info) || isFileOrTime(value)) return false;
  const bare = withoutSigns(value);
  if (bare.length < 12 || !/[A-Za-z]/.test(bare)) return false;
  if (!/\d/.test(bare))
    return bare.length >= 16 && entropy(bare) >= 3.6 && classes(bare) >= 2 && !looksLikeWords(bare) && 0.6;
  if (bare.length < 20 && isHumanMade(bare)) return false;
  return looksRandom(bare, 3);
}

/** A value without the signs of an assignment, and the dots, around it. */
function withoutSigns(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && '@$:|=.'.includes(value.charAt(start))) start++;
  while (end > start && '=.:|'.includes(value.charAt(end - 1))) end--;
  return value.slice(start, end);
}

/** Brackets and signs that `VALUE` does not contain. */
const SIGNS_IN_QUOTES = /[()[\]{}<>?,;]/;

/** Whether a value in quotation marks was generated, and is neither code nor a list of words. */
function isQuotedSecret(value: string): boolean {
  if (!SIGNS_IN_QUOTES.test(value) || isCodeInQuotes(value) || isPlaceholder(value)) return false;
  return /[A-Za-z]/.test(value) && /\d/.test(value) && classes(value) >= 3 && looksRandom(value, 3.4);
}

/** 16 or more random characters are not typed by a person. */
function isMachinePassword(value: string, info: MatchInfo): boolean | number {
  return value.length >= 16 && isToken(value, info);
}

/**
 * Whether a value was probably chosen by a person: it contains a word, possibly with look-alike characters, or is a word followed by a
 * number or symbol.
 */
function isHumanMade(value: string): boolean {
  const spelled = value
    .replace(/[@4]/g, 'a')
    .replace(/0/g, 'o')
    .replace(/[1!]/g, 'i')
    .replace(/3/g, 'e')
    .replace(/[$5]/g, 's');
  return (
    spelled.split(/[^A-Za-z]+/).some((piece) => piece.length >= 6 && looksLikeWords(piece)) ||
    /^[A-Za-z]+[\W_]?\d{1,4}[\W_]?$/.test(value)
  );
}

function isPassword(value: string, info: MatchInfo): boolean {
  if (isCode(value, info) || isPlaceholder(value) || isMonotonous(value)) return false;
  if (/^(?:true|false|null|none|undefined|string|required|optional|password\d*|secret\d*)$/i.test(value)) return false;
  return value.length <= 64 && classes(value) >= 3 && entropy(value) >= 2.4;
}

/** Number of character classes used: lower case, upper case, digits, symbols. */
function classes(value: string): number {
  return [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((pattern) => pattern.test(value)).length;
}
