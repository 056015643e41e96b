import type { MatchInfo } from '../../src/core/plugin-api.js';
import { isFileOrTime } from './no-secret.js';
import { entropy, isPlaceholder, looksLikeWords, looksRandom } from './randomness.js';
import { anchored, marked, near, type SecretRule, type Shape } from './rule.js';
import { isSeedWord } from './seed-words.js';

/** The characters of a cookie's value, and those in which frameworks encode them. */
const COOKIE_VALUE = '[A-Za-z0-9._~%+/=:|!*-]';
/** Names of cookies that hold a session or a login. */
const SESSION_NAME =
  /sess|(?:^|[._-])(?:sid|auth(?:orization)?|token|jwt|sso|login|identity|ticket)(?:$|[._-]|\d)|sid$|(?:auth|token|cookies|security)$|remember|logged_in|^li_at$/i;
/** Names that contain one of these words, but protect a form, count visits, or say how, when and from where a person came. */
const NO_SESSION_NAME =
  /[cx]srf|^_ga|_ga_|consent|analytics|session_?(?:start|count|number|time|visit)|assess|possess|obsess|redirect|return|refer|landing|campaign|sidebar|theme|locale|expir|time|date|seen|last[._-]|[._-](?:at|on|url|uri|next|state|method|hint|page|step)$/i;
/** Addresses and dates, also in the encoding of cookies. */
const NO_SESSION_VALUE =
  /^(?:https?(?::|%3A)|%2F|\/)|^\d{4}-\d\d-\d\d|^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}(?:,|%2C|\s)|^[\d.:%]+$/i;
const MOST_PAIRS = 80;
const LEAST_SESSION_UNITS = 16;
/** A session is recognised by its first units; signed ones go on for kilobytes. */
const SESSION_LOOK = 256;

function isSessionValue(value: string): boolean {
  const begin = value.slice(0, SESSION_LOOK);
  if (value.length < LEAST_SESSION_UNITS || NO_SESSION_VALUE.test(begin) || isFileOrTime(begin)) return false;
  return !isPlaceholder(value) && looksRandom(begin);
}

function isSessionName(name: string): boolean {
  return SESSION_NAME.test(name) && !NO_SESSION_NAME.test(name);
}

/** Whether one of the pairs of a header `Cookie` or `Set-Cookie` is a session or a login. */
function holdsSession(header: string): boolean {
  return header.split(';', MOST_PAIRS).some((pair) => {
    const [name = '', ...rest] = pair.trim().split('=');
    return isSessionName(name) && isSessionValue(rest.join('='));
  });
}

/** Cookies that well-known frameworks and services give to a person who is logged in, wherever they are written. */
const KNOWN_COOKIES = [
  ...['PHPSESSID', 'JSESSIONID', 'connect.sid', 'laravel_session', 'ASP.NET_SessionId', '.ASPXAUTH', '.ROBLOSECURITY'],
  ...['.AspNetCore.Cookies', '.AspNetCore.Identity.Application', 'wordpress_logged_in_', 'next-auth.session-token'],
  ...['authjs.session-token', 'li_at', 'remember_web_', 'remember_user_token', 'CF_Authorization', 'sb-access-token'],
];

function knownCookies(): Shape {
  const names = KNOWN_COOKIES.map((name) => name.replaceAll('.', String.raw`\.`)).join('|');
  return anchored(
    KNOWN_COOKIES,
    new RegExp(
      `(?<![A-Za-z0-9])(?<![=:]${COOKIE_VALUE}{0,40})(?:${names})[0-9a-f]{0,64}["']?\\s{0,3}[=:]\\s{0,3}["']?` +
        `(${COOKIE_VALUE}{16,4096})(?!${COOKIE_VALUE})`,
      'i',
    ),
    { group: 1, score: 0.9, validate: isSessionValue },
  );
}

/** Base64 of crypt(3), which has `.` and `/` and no padding. */
const CRYPT = '[./A-Za-z0-9]';
const SALT = String.raw`[^$\s:"']`;
/** Stored passwords: an attacker who has one tries guesses on his own machine. */
const HASH_FORMS = [
  String.raw`\$2[abxy]\$\d\d\$${CRYPT}{53}`,
  String.raw`\$(?:1|apr1)\$${SALT}{1,8}\$${CRYPT}{22}`,
  String.raw`\$5\$(?:rounds=\d{1,9}\$)?${SALT}{1,16}\$${CRYPT}{43}`,
  String.raw`\$6\$(?:rounds=\d{1,9}\$)?${SALT}{1,16}\$${CRYPT}{86}`,
  String.raw`\$y\$${CRYPT}{1,20}\$${CRYPT}{1,86}\$${CRYPT}{43}`,
  String.raw`\$P\$B${CRYPT}{30}`,
  String.raw`\$argon2(?:id|i|d)\$(?:v=\d{1,3}\$)?[a-z0-9=,]{5,60}\$[A-Za-z0-9+/]{11,90}\$[A-Za-z0-9+/]{22,180}`,
  String.raw`\$?pbkdf2[-_:]sha\d{1,3}[$:](?:i=)?\d{2,9}(?:,l=\d{1,3})?\$[A-Za-z0-9./+]{4,90}\$[A-Za-z0-9./+]{24,180}={0,2}`,
  String.raw`scrypt:\d{3,9}:\d{1,3}:\d{1,3}\$[A-Za-z0-9]{6,64}\$[0-9a-f]{64,128}`,
  String.raw`\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{27,140}={0,2}`,
];
const HASH_MARKS = ['$2a$', '$2b$', '$2x$', '$2y$', '$1$', '$apr1$', '$5$', '$6$', '$y$', '$P$B', '$argon2'];

function storedPasswords(): Shape[] {
  const marks = [...HASH_MARKS, 'pbkdf2', '$pbkdf2', 'scrypt:', '{SSHA', '{SHA'];
  return [
    anchored(marks, new RegExp(`(?<![A-Za-z0-9$])(?:${HASH_FORMS.join('|')})(?![A-Za-z0-9./+])`), {
      score: 0.85,
      validate: (match) => !/X{4,}|x{6,}|\.{3,}/.test(match) && entropy(match.slice(-20)) > 2.8,
    }),
    // A line of a dump of Windows: user, number, LM hash, NT hash.
    anchored(':::', /(?<![0-9a-f])[0-9a-f]{32}:[0-9a-f]{32}(?=:::)/i, { before: 65, score: 0.9 }),
  ];
}

/** Values of which documentation is full. */
const COMMON_WORD = /^(?:pass(?:word|wd|phrase)?|secret|root|admin|test|example|postgres|mysql|value|string)\d{0,3}$/i;
/** Variables and templates, paths, and options of the command in the place of the value. */
const NO_ARGUMENT = /^[-$%<{[(/@~.]|[>}\])]$|\$\{|\{\{|:\/\/|process\.env|os\.environ|^(?:env|file|fd|pass|stdin):/;
/** Code that reads the value from elsewhere: `config.password`, `getpass()`, `secrets["db"]`. */
const REFERENCE = /^[A-Za-z_]\w{0,40}(?:\.[A-Za-z_]\w{0,40}){0,8}[([]|^[A-Za-z_]+(?:\.[A-Za-z_]+)+$/;
const NAMES = /^[a-z]+(?:[_-][a-z]+)*\d{0,3}$/i;

function isArgument(written: string): boolean {
  const value = written.replace(/[.,:;!?]+$/, '');
  if (NO_ARGUMENT.test(value) || REFERENCE.test(value) || COMMON_WORD.test(value) || isPlaceholder(value)) return false;
  return entropy(value) > 2.2 && !(looksLikeWords(value) && NAMES.test(value));
}

/** Options that begin with the letter of the password, such as `-protocol=tcp` and `-plugin-dir=/usr/lib`. */
const LONG_OPTION = /^[a-z]+(?:-[a-z]+)*(?:=|$)/;

const ARGUMENT = { group: 1, score: 0.8, validate: isArgument } as const;

/** Passwords in the arguments of programs, and in the variables from which programs read them. */
function argumentPasswords(): Shape[] {
  return [
    anchored(
      ['--password', '--passwd'],
      /--passw(?:or)?d(?:=|\s{1,3})["']?([^\s"'`\\]{6,100})(?![^\s"'`\\])/,
      ARGUMENT,
    ),
    anchored('sshpass ', /sshpass -p ?["']?([^\s"'`\\]{4,100})(?![^\s"'`\\])/, ARGUMENT),
    anchored('docker login ', /docker login [^\n|;&]{0,120}?-p ["']?([^\s"'`\\]{6,100})(?![^\s"'`\\])/, ARGUMENT),
    anchored(
      ['mysql ', 'mysqldump ', 'mysqladmin ', 'mariadb '],
      /(?:mysql(?:dump|admin)?|mariadb) (?:[^\n|;&]{0,120}? )?-p["']?([^\s"'`\\]{6,100})(?![^\s"'`\\])/,
      { ...ARGUMENT, validate: (match) => isArgument(match) && !LONG_OPTION.test(match) },
    ),
    anchored(
      ['PGPASSWORD', 'MYSQL_PWD', 'REDISCLI_AUTH', 'SSHPASS'],
      /(?:PGPASSWORD|MYSQL_PWD|REDISCLI_AUTH|SSHPASS)["']?\s{0,2}[:=]\s{0,2}["']?([^\s"'`\\;,]{4,100})(?![^\s"'`\\;,])/,
      ARGUMENT,
    ),
    anchored('WIFI:', /WIFI:(?:[TSH]:[^;\n]{0,64};){1,3}P:([^;\s]{8,64});/, ARGUMENT),
  ];
}

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const SEED_LENGTHS: readonly number[] = [12, 15, 18, 21, 24];

/** BIP 39: 12 to 24 words of its list, three at a time. */
function isSeedPhrase(phrase: string): boolean {
  const words = phrase.trim().toLowerCase().split(/\s+/);
  return SEED_LENGTHS.includes(words.length) && words.every(isSeedWord);
}

/** What grants access without being the key of a service: sessions, stored passwords, signed addresses, wallets. */
export const ACCESS_RULES: readonly SecretRule[] = [
  {
    code: 'session_cookie',
    title: 'Cookie of a session or a login',
    page: 'https://www.rfc-editor.org/rfc/rfc6265#section-4',
    shapes: [
      knownCookies(),
      anchored(
        'cookie',
        /(?<![A-Za-z0-9])(?<!=[^\r\n"'`<>]{0,40})(?:set-)?cookie["']?\s{0,3}[:=,]\s{0,3}["'`]?([\w.-]{1,80}=[^\r\n"'`<>]{16,8192})/i,
        { group: 1, score: 0.85, validate: holdsSession },
      ),
      anchored(
        ['-b ', '--cookie '],
        /(?<=curl [^\n]{0,200})(?<!=[^\s"']{0,12} curl )(?:-b|--cookie) ["']?([\w.-]{1,80}=[^\r\n"'`<>]{16,2048})/,
        { group: 1, score: 0.85, validate: holdsSession },
      ),
      // A session of Roblox begins with a warning to those who are asked to hand it over.
      anchored('_|WARNING:-DO-NOT', /_\|WARNING:-DO-NOT-SHARE-THIS[^\s|]{20,200}\|_[A-Za-z0-9_-]{100,2000}/),
      // A line of the file in which curl and wget keep cookies: flag, path, flag, time, name, value.
      anchored(['\tTRUE\t', '\tFALSE\t'], /\t(?:TRUE|FALSE)\t\d{1,12}\t([\w.-]{1,80})\t([^\s"']{16,4096})(?!\S)/, {
        group: 2,
        score: 0.85,
        validate: (match, { groups }) => isSessionName(groups[1] ?? '') && isSessionValue(match),
      }),
    ],
  },
  {
    code: 'password_hash',
    title: 'Stored password (bcrypt, Argon2, scrypt, PBKDF2, crypt, NTLM)',
    page: 'https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md',
    shapes: storedPasswords(),
  },
  {
    code: 'signed_url',
    title: 'Signature of an address that grants access',
    page: 'https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html',
    shapes: [
      anchored('X-Amz-Signature', /(?<=[?&;])X-Amz-Signature=([0-9a-f]{64})(?![0-9a-f])/i, { group: 1 }),
      anchored('X-Goog-Signature', /(?<=[?&;])X-Goog-Signature=([0-9a-f]{64,1024})(?![0-9a-f])/i, { group: 1 }),
      anchored('Signature=', /(?<=[?&;])Signature=([A-Za-z0-9%+/_~-]{27,1024}={0,2})(?![A-Za-z0-9%+/_~-])/, {
        group: 1,
        score: 0.9,
        validate: (match) => !isPlaceholder(match) && looksRandom(match),
      }),
      // Of Azure Logic Apps and Power Automate: base64 for addresses, without padding.
      anchored('sig=', /(?<=[?&;])sig=([A-Za-z0-9_-]{43})(?![\w%=-])/, {
        group: 1,
        score: 0.9,
        validate: (match) => looksRandom(match),
      }),
    ],
  },
  {
    code: 'command_password',
    title: 'Password in the arguments or variables of a program',
    page: 'https://cwe.mitre.org/data/definitions/214.html',
    shapes: argumentPasswords(),
  },
  {
    code: 'wallet_key',
    title: 'Private key or seed phrase of a wallet',
    page: 'https://github.com/bitcoin/bips/blob/master/bip-0032.mediawiki',
    shapes: [
      marked(['xprv', 'yprv', 'zprv', 'tprv', 'uprv', 'vprv'], new RegExp(`[xyztuv]prv${BASE58}{107,108}`)),
      marked('nsec1', /nsec1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}/),
      near(['wif', 'wallet*', 'bitcoin*', 'btc', 'private key', 'privkey'], new RegExp(`[5KL]${BASE58}{50,51}`)),
      anchored(
        ['mnemonic', 'seed phrase', 'recovery phrase', 'backup phrase', 'seed words'],
        /(?:mnemonic|(?:seed|recovery|backup) phrase|seed words)["']?\s{0,3}[:=]\s{0,4}["'`]?((?:[a-z]{3,8}[ \t\n]){11,23}[a-z]{3,8})(?![ \t]?[a-z])/i,
        { group: 1, score: 0.9, validate: isSeedPhrase },
      ),
    ],
  },
];

/** A token in the user's place of an address, such as `https://…@github.com/`: random, and not the public key of a project. */
export function isTokenOfUser(match: string, info: MatchInfo): boolean {
  const after = info.text.slice(info.end, info.end + 32);
  return !isPlaceholder(match) && looksRandom(match) && !/^(?::[^@]*)?@[\w.-]*(?:sentry|ingest)/.test(after);
}
