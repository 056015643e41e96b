import type { MatchInfo } from '../../src/core/plugin-api.js';
import { base62OfCrc, crc32 } from './crc32.js';
import { isPublicKey } from './public-keys.js';
import { entropy, isPlaceholder, looksLikeWords } from './randomness.js';
import { isTokenOfUser } from './rules-access.js';
import { anchored, marked, markedBase64, near, type SecretRule, type Shape } from './rule.js';

/** The first line of a private key, and the characters of a truncated one. */
const KEY_BEGIN = String.raw`-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----`;
const KEY_SIGN = String.raw`[A-Za-z0-9+/=\s\\,:;"'.()<>_|-]`;

/** The members of a JSON Web Key that are private: of RSA, elliptic curves and octet keys, and the key of a symmetric one. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'];
/** The distance between `kty` and the last member of an RSA key of 4,096 bits is about 3,500 units. */
const JWK_UNITS = 4_000;
/** A quotation mark before a name; one directly after a word is its end, or an apostrophe. */
const QUOTE = String.raw`(?<![A-Za-z0-9])["']`;
const KEY_VALUE = String.raw`\s{0,4}:\s{0,4}["']([A-Za-z0-9_-]{20,1400})["']`;

/** Credentials that are recognised by their form, regardless of their issuer, and the credentials of this service. */
export const STRUCTURE_RULES: readonly SecretRule[] = [
  {
    code: 'weir_key',
    title: 'Weir API key or management token',
    page: 'https://www.rfc-editor.org/rfc/rfc1952#section-8',
    shapes: [
      marked(
        ['sk_live_wr1_', 'sk_test_wr1_', 'wt_live_wr1_', 'wt_test_wr1_'],
        /(?:sk|wt)_(?:live|test)_wr1_[A-Za-z0-9]{50}/,
        {
          score: 1,
          // The last six characters are the CRC-32 of all before them: mistyped or invented keys do not match.
          validate: (match) => base62OfCrc(crc32(match.slice(0, -6))) === match.slice(-6),
        },
      ),
    ],
  },
  {
    code: 'private_key',
    title: 'Private key (PEM, OpenSSH, PGP, PuTTY)',
    page: 'https://www.rfc-editor.org/rfc/rfc7468#section-10',
    shapes: [
      {
        regex: new RegExp(
          // Not tried directly after the first line of another key, whose match goes on here.
          String.raw`(?<!${KEY_BEGIN}${KEY_SIGN}{0,24})${KEY_BEGIN}` +
            // A complete key, or the existing part of a truncated one.
            String.raw`(?:[\s\S]{16,8192}?-----END[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----|${KEY_SIGN}{16,8192})`,
        ),
        trigger: { on: 'literals', literals: ['-----BEGIN'] },
        score: 0.98,
        validate: hasKeyBytes,
      },
      anchored('PuTTY-User-Key-File-', /PuTTY-User-Key-File-\d: [\s\S]{40,6000}?Private-MAC: [0-9a-f]{40,64}/),
      // The private part of such a file whose last line is missing.
      anchored('Private-Lines:', /Private-Lines: \d{1,3}\s{1,2}[A-Za-z0-9+/=\s]{40,6000}/),
      // The form of public keys in RFC 4716, which commercial SSH uses for private ones.
      anchored(
        '---- BEGIN SSH2',
        /---- BEGIN SSH2 ENCRYPTED PRIVATE[ ]KEY ----(?:[^-]|-(?!-)){16,8192}---- END SSH2 ENCRYPTED PRIVATE[ ]KEY ----/,
      ),
      // A key of .NET in XML; only private ones have the member `D`.
      anchored(
        '<RSAKeyValue>',
        /<RSAKeyValue>\s{0,8}<Modulus>[A-Za-z0-9+/=\s]{40,1400}<\/Modulus>[A-Za-z0-9+/=<>\s]{20,6000}?<D>[A-Za-z0-9+/=\s]{40,1400}<\/D>/,
        { validate: hasKeyBytes },
      ),
      ...jwkMembers(),
      keyWithoutFirstLine(),
      ...keysOfTools(),
    ],
  },
  {
    code: 'jwt',
    title: 'JSON Web Token',
    page: 'https://www.rfc-editor.org/rfc/rfc7519',
    shapes: [
      {
        ...anchored(
          ['eyJ', 'ey'],
          // Not tried near the beginning of another header, whose match goes on here.
          /(?<![A-Za-z0-9])(?<!(?:^|[^A-Za-z0-9])ey[A-Za-z0-9_=-]{0,40})ey[A-Za-z0-9_=-]{12,4000}\.ey[A-Za-z0-9/\\_=-]{12,16000}(?:\.[A-Za-z0-9/\\_=-]{10,8000})?(?![A-Za-z0-9_-])/,
        ),
        validate: (match) => !isPlaceholder(match),
      },
      // A JWT encoded a second time.
      markedBase64('ZXlK', /ZXlK[A-Za-z0-9+/_-]{60,8000}={0,2}/),
      // An encrypted token (RFC 7516) has five parts, of which only the first begins like one of a signed token.
      {
        ...anchored(
          'eyJ',
          /(?<![A-Za-z0-9])(?<!(?:^|[^A-Za-z0-9])ey[A-Za-z0-9_=-]{0,40})eyJ[A-Za-z0-9_-]{12,2000}\.(?!ey)[A-Za-z0-9_-]{0,1400}\.[A-Za-z0-9_-]{16,24}\.[A-Za-z0-9_-]{2,16000}\.[A-Za-z0-9_-]{22,44}(?![A-Za-z0-9_-])/,
        ),
        validate: (match) => !isPlaceholder(match),
      },
    ],
  },
  {
    code: 'url_credentials',
    title: 'User and password in a URL or connection string',
    page: 'https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1',
    shapes: [
      anchored(
        '://',
        /(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,24}:\/\/[^\s/:"'`<>?#\\]{0,80}:([^\s/@"'`<>\\]{3,120})@[A-Za-z0-9[][^\s"'`<>\\]{2,200}/,
        { before: 26, score: 0.85, validate: (match) => urlPassword(match) },
      ),
      // A token in the place of the user, as hosts of repositories accept it.
      anchored(
        '://',
        /(?<![A-Za-z0-9])https?:\/\/([A-Za-z0-9_-]{20,120})(?=(?::x-oauth-basic)?@[A-Za-z0-9][\w.-]{2,200})/,
        { before: 5, group: 1, score: 0.8, validate: isTokenOfUser },
      ),
      // Clients of databases also read a password with a slash, which other URLs do not allow.
      anchored(
        '://',
        /(?<![A-Za-z0-9])(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|clickhouse)(?:\+[a-z0-9]{2,16})?:\/\/[^\s/:@"'`<>?#\\]{0,80}:(?!\d{1,5}[/,])[^\s@"'`<>\\]{3,120}@[A-Za-z0-9[][^\s"'`<>\\]{2,200}/,
        { before: 28, score: 0.85, validate: (match) => urlPassword(match) },
      ),
      connectionPassword(),
      // `host=db user=app password=…`, as clients of PostgreSQL read it.
      anchored(
        'password',
        /(?<=(?:host|hostaddr|user|dbname|port)\s?=\s?[^\s=]{1,60}\s)password\s?=\s?["']?([^\s"'`<>${}()]{4,100})/,
        { group: 1, score: 0.8, validate: isConnectionPassword },
      ),
      anchored('jdbc:oracle:', /jdbc:oracle:\w{3,5}:[^\s/"'`@]{1,60}\/([^\s"'`@]{3,100})@/, {
        group: 1,
        score: 0.8,
        validate: isConnectionPassword,
      }),
      // A line of `.pgpass`: host, port, database, user, password.
      anchored(':5432:', /(?<![\w./])[\w.*-]{1,120}:5432:[\w*-]{1,63}:[\w*-]{1,63}:([^\s:"'`]{4,100})(?!\S)/, {
        before: 120,
        group: 1,
        score: 0.8,
        validate: isConnectionPassword,
      }),
    ],
  },
  {
    code: 'basic_auth',
    title: 'HTTP Basic credentials',
    page: 'https://www.rfc-editor.org/rfc/rfc7617',
    shapes: [
      anchored(
        'basic ',
        /(?<=authorization["']?\s{0,4}(?:[:=,]\s{0,4}|,\s{0,24}["']?value["']?\s{0,4}[:=]\s{0,4})["'`\\]{0,2})basic ([A-Za-z0-9+/_-]{8,4096}={0,3})(?![A-Za-z0-9+/])/i,
        {
          group: 1,
          score: 0.85,
        },
      ),
      anchored(
        ['curl '],
        /curl [^\n]{0,300}?(?:\s-u|--user)[ =]{0,2}(["']?)([^\s:"']{0,60}:["']?[^\s:"'$]{3,120}|[^\s:"'$]{8,120}:)(?=["'\s]|$)/,
        {
          group: 2,
          score: 0.85,
          validate: (match) =>
            !isPlaceholder(match) && entropy(match) > 2.4 && !isTemplate(match.slice(match.indexOf(':') + 1)),
        },
      ),
      // An entry of `.netrc`, which curl, git and ftp read.
      anchored(
        'password',
        /(?<=machine\s{1,8}[\w.-]{0,60}\.[\w-]{1,20}\s{1,8}login\s{1,8}[^\s"'`<>]{1,80}\s{1,8})password\s{1,8}([^\s"'`<>]{4,200})(?!\S)/,
        { group: 1, score: 0.85, validate: isConnectionPassword },
      ),
      // A host without a dot is a word, as `default` is: the password then has a digit.
      anchored(
        'password',
        /(?<=(?:machine\s{1,8}[\w-]{2,60}|default)\s{1,8}login\s{1,8}[^\s"'`<>]{1,80}\s{1,8})password\s{1,8}((?=[^\s\d]{0,60}\d)[^\s"'`<>]{6,200})(?!\S)/,
        { group: 1, score: 0.8, validate: isConnectionPassword },
      ),
    ],
  },
  {
    code: 'bearer_token',
    title: 'Token in an Authorization or API key header',
    page: 'https://www.rfc-editor.org/rfc/rfc6750',
    shapes: [
      anchored(
        ['bearer ', 'token ', 'apikey ', 'basic '],
        /(?<=authorization["']?\s{0,4}(?:[:=,]\s{0,4}|,\s{0,24}["']?value["']?\s{0,4}[:=]\s{0,4})["'`\\]{0,2})(?:bearer|token|api-?key) ([A-Za-z0-9._~+/=-]{10,28100})(?![A-Za-z0-9._~+/-])/i,
        {
          group: 1,
          score: 0.85,
          validate: (match, info) => isHeaderToken(match, info, 2.5),
        },
      ),
      anchored(
        [
          ...['x-api-key', 'x-auth-token', 'api-key:', 'apikey:', 'private-token', 'x-access-token', 'x-vault-token'],
          ...['api-token:', 'x-api-token', 'x-auth-key', 'circle-token', 'x-session-token', 'x-service-token'],
        ],
        /(?<=["'\s])(?:x-)?(?:api-?key|auth-(?:token|key)|private-token|access-token|vault-token|api-token|circle-token|session-token|service-token)["']?\s{0,3}[:=]\s{0,3}["']?([A-Za-z0-9._~+/=-]{12,4096})(?![A-Za-z0-9._~+/-])/i,
        {
          group: 1,
          score: 0.8,
          validate: (match, info) => isHeaderToken(match, info, 2.8),
        },
      ),
      near(['webhook secret', 'signing secret', 'webhook signing'], /[A-Za-z0-9_-]{20,80}/),
    ],
  },
];

/** Whether the value of a header is a token: no example, no word, and no key that its vendor publishes. `least` is in bits per character. */
function isHeaderToken(match: string, info: MatchInfo, least: number): boolean {
  return !isPlaceholder(match) && entropy(match) > least && !looksLikeWords(match) && !isPublicKey(match, info);
}

/**
 * The private members of a JSON Web Key, a flat object with the member `kty`. Members after `kty` are searched for from there, so that only
 * a text with such a member waits for them in a stream. One match has one finding, so each member has its own shape.
 */
function jwkMembers(): Shape[] {
  const options = { group: 1, score: 0.9 };
  const upTo = String.raw`(?:[^{}"']|["'](?!kty["'])){0,${JWK_UNITS}}?`;
  const after = PRIVATE_MEMBERS.map((name) =>
    anchored(['"kty"', "'kty'"], new RegExp(`${QUOTE}kty["']\\s{0,4}:${upTo}["']${name}["']${KEY_VALUE}`), options),
  );
  const before = anchored(
    PRIVATE_MEMBERS.flatMap((name) => [`"${name}"`, `'${name}'`]),
    new RegExp(
      `${QUOTE}(?:${PRIVATE_MEMBERS.join('|')})["']${KEY_VALUE}(?=[^{}]{0,${JWK_UNITS}}?["']kty["']\\s{0,4}:)`,
    ),
    options,
  );
  return [...after, before];
}

/**
 * The base64 of a private key without its first line, as in environment variables: keys of RSA (PKCS #1 and #8), of elliptic curves (SEC 1
 * and PKCS #8), of Ed25519 and of OpenSSH. Public keys and certificates begin differently.
 */
function keyWithoutFirstLine(): Shape {
  const begin = [
    'MII[A-Z][A-Za-z0-9+/]{2}IBA(?:AK[BC]|DANBgkqhkiG9w0BAQEFAASC)',
    'MHcCAQEEI',
    'MI(?:GkAgEBBD|HcAgEBBEI|[GH][A-Za-z0-9]AgEAMB[AM]GByqGSM49)',
    'MC4CAQAwBQYDK2V[uw]BCIEI',
    'b3BlbnNzaC1rZXktdjEAAAAA',
    // Encrypted with PBES2, and the container of a key and its certificates (PKCS #12).
    'MI[I-L][A-Za-z0-9+/]{2}[DTjz][A-D][A-Za-z0-9+/]BgkqhkiG9w0BBQ0w',
    'MI[I-L][A-Za-z0-9+/]{2}[AQgw]IBAzC[AC]',
  ].join('|');
  const lines = String.raw`[A-Za-z0-9+/]{28,8192}(?:\s{1,12}[A-Za-z0-9+/]{60,80}){0,60}(?:\s{1,12}[A-Za-z0-9+/]{16,80})?={0,2}`;
  const marks = ['MII', 'MIJ', 'MIK', 'MIL', 'MIG', 'MIH', 'MHcCAQEE', 'MC4CAQAw', 'b3BlbnNzaC1r'];
  return markedBase64(marks, new RegExp(`(?:${begin})${lines}`));
}

/** Keys in the forms of single tools: OpenVPN, GnuPG, minisign and signify, and the key stores of Java in base64. */
function keysOfTools(): Shape[] {
  return [
    anchored(
      '-----BEGIN OpenVPN',
      /-----BEGIN OpenVPN Static key V\d-----[0-9a-f\s]{256,1200}(?:-----END OpenVPN Static key V\d-----)?/,
    ),
    anchored(
      '(private-key',
      /\(private-key\s{1,4}\((?:(?!\(private-key)[\s\S]){16,4000}?\(d\s{1,4}#[0-9A-Fa-f\s]{32,4096}#\s{0,4}\)/,
    ),
    markedBase64(['RWRTY0Iy', 'RWRCSw'], /(?:RWRTY0Iy[A-Za-z0-9+/]{200,210}|RWRCSw[A-Za-z0-9+/]{132,142})={0,2}/),
    anchored(['/u3+7QAAAA', 'zs7OzgAAAA'], /(?<![A-Za-z0-9+/])(?:\/u3\+7Q|zs7Ozg)AAAA[IE][A-Za-z0-9+/]{60,8192}={0,2}/),
  ];
}

/** The first or last line of a key, or characters of the key itself. */
const KEY_PART = /-----[^-]{1,80}-----|([A-Za-z0-9+/]{1,24})/g;
const LEAST_KEY_SIGNS = 24;

/**
 * Whether there are characters of base64 besides the lines that begin and end a key. Stops as soon as there are enough, because very many
 * overlapping keys may have to be checked.
 */
function hasKeyBytes(key: string): boolean {
  let signs = 0;
  for (const [, part = ''] of key.matchAll(KEY_PART)) {
    signs += part.length;
    if (signs >= LEAST_KEY_SIGNS) return true;
  }
  return false;
}

/** `Server=db;User Id=sa;Password=hunter2;` and JDBC parameters. */
function connectionPassword(): Shape {
  return anchored(
    ['password=', 'pwd=', 'password =', 'pwd ='],
    /(?<=[;?&]\s{0,2})(?:password|pwd)\s?=\s?([^\s;&"'<>${}()]{4,100})/i,
    { group: 1, score: 0.8, validate: isConnectionPassword },
  );
}

function isConnectionPassword(match: string): boolean {
  return !isPlaceholder(match) && !isTemplate(match);
}

function urlPassword(url: string): boolean {
  const authority = url.slice(url.indexOf('://') + 3);
  const end = authority.lastIndexOf('@');
  const password = authority.slice(authority.indexOf(':') + 1, end);
  // A user can be an address of mail; before a port, it is the user of a host (`git@host:22,…`).
  if (/^[^:]*@[^:]*:\d{1,5}(?!\d|[A-Za-z])/.test(authority)) return false;
  if (/^(?:YOUR|REPLACE|INSERT)[-_]|^<.*>$/i.test(password)) return false;
  const user = authority.slice(0, authority.indexOf(':'));
  if (
    isTemplate(password) ||
    password === user ||
    /^(?:password|passwd|pass|pwd|secret|token|user|\*+|x+|\.+)$/i.test(password)
  )
    return isWholeExample(url);
  return !/^x{3,}$|\*{3,}/i.test(password);
}

/** `user:pass@…` is still a credential if the host is real; with a placeholder as host it is documentation. */
function isWholeExample(url: string): boolean {
  return !/[$<{*]|host(?:name)?[:/]|localhost|127\.0\.0\.1|example\./i.test(url) && !/:\*+@|:x+@/i.test(url);
}

/** Whether a value is a template variable. */
function isTemplate(value: string): boolean {
  return /^[$%<{[(]|[>}\])]$|\$\{|\{\{|%s|process\.env|os\.environ/.test(value);
}
