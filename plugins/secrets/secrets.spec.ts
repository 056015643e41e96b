import { describeDetector } from '../../test/support/describe-detector.js';
import { SECRET_RULES } from './about.js';
import { base62OfCrc, crc32 } from './crc32.js';
import { isPlaceholder, looksLikeWords, looksRandom } from './randomness.js';
import { sampleOf, seeded } from './regex-sample.js';
import { patternsOf, type SecretRule } from './rule.js';
import { secrets } from './secrets.js';

const options = secrets.meta.options.parse({});
const enabled = Object.keys(secrets.meta.codes).filter((code) => secrets.meta.codes[code]!.enabled);
const scan = secrets.create(options, { codes: new Set(enabled) });

function found(text: string, key?: string): { code: string; text: string }[] {
  return scan(text, key === undefined ? {} : { key }).map(({ code, start, end }) => ({
    code,
    text: text.slice(start, end),
  }));
}

function codesIn(text: string, key?: string): string[] {
  return found(text, key).map(({ code }) => code);
}

function ruleOf(code: string): SecretRule {
  const rule = SECRET_RULES.find((each) => each.code === code);
  if (rule === undefined) throw new Error(`no rule ${code}`);
  return rule;
}

/** An invented credential that fits a pattern. */
function invent(pattern: RegExp, seed = 1): string {
  return sampleOf(pattern, seeded(seed)).text;
}

describeDetector(secrets, {
  attacks: [
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGINPRIVATE KEY-----',
    `${'-ey'.repeat(300)}.ey`,
    'eyJ',
    'token=',
    'password: "',
    'aws ',
    'curl -u',
    'sk-',
    '://a:',
    'ghp_',
    '/ABSK',
    'ey1-ey1-',
    `${'ey'.padEnd(50, 'a')}-`,
    '"kty":"',
    `{"kty":"${'"a":1,'.repeat(40)}`,
    `"k":"${'aB1'.repeat(8)}",`,
    `token=${'aB1.'.repeat(60)}`,
  ],
  fragments: [
    ...['token = "', 'Authorization: Bearer ', '"password": "', '-----BEGIN', ' PRIVATE KEY-----'],
    ...['{"kty":"oct","', '"kty": "', `k":"${'aB1-'.repeat(8)}"`, `"d":"${'aB1_'.repeat(8)}",`, '{', '}'],
    ...[`token=${'aB1c'.repeat(60)}`, `.${'aB1d'.repeat(40)}`, 'zoom ', 'secret: '],
  ],
});

describe('secrets', () => {
  it('has over 150 kinds of credentials, each with its own code and a page of its vendor', () => {
    const codes = SECRET_RULES.map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.length).toBeGreaterThan(150);
    expect(SECRET_RULES.filter(({ page }) => !page.startsWith('https://'))).toEqual([]);
  });

  it('reports an API key of Weir only if its checksum is correct', () => {
    const body = `sk_live_wr1_${invent(/[A-Za-z0-9]{44}/)}`;
    const crc = base62OfCrc(crc32(body));
    expect(found(`key ${body}${crc}`)).toEqual([{ code: 'weir_key', text: body + crc }]);
    const wrong = (crc.startsWith('0') ? '1' : '0') + crc.slice(1);
    expect(codesIn(`key ${body}${wrong}`)).not.toContain('weir_key');
  });

  it('reports an id only if a vendor labels it, not if a vendor name merely occurs near it or inside a word', () => {
    const ids = [
      invent(/[0-9a-f]{32}/),
      invent(/[A-Za-z0-9]{32}/),
      invent(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/),
    ];
    for (const id of ids) {
      const texts = [
        `Alchemy turned lead into "${id}"`,
        `Die moralische Frage hat die Nummer '${id}'.`,
        `Jayson Tatum: {"game":"${id}"}`,
        `{"service":"infura","status":200,"request_id":"${id}"}`,
        `{"provider":"binance","trace_id":"${id}"}`,
        `kucoin request id was "${id}"`,
      ];
      for (const text of texts) expect([text, codesIn(text)]).toEqual([text, []]);
      const named = [
        `INFURA_PROJECT_SECRET=${id}`,
        `"infuraApiKey": "${id}"`,
        `moralis token = '${id}'`,
        `infura: ${id}`,
      ];
      for (const text of named) expect([text, codesIn(text)]).toEqual([text, ['infura_key']]);
    }
    const key = invent(/[A-Za-z0-9_]{32}/);
    expect(codesIn(`https://eth-mainnet.g.alchemy.com/v2/${key}`)).toEqual(['infura_key']);
  });

  it('computes the same CRC-32 as zip files', () => {
    expect(crc32('123456789')).toBe(0xcbf43926);
    expect(base62OfCrc(61)).toBe('00000z');
  });

  it('does not find a token inside a longer word', () => {
    const token = invent(/ghp_[A-Za-z0-9]{36}/);
    expect(codesIn(`${token} and "${token}"`)).toEqual(['github_pat', 'github_pat']);
    expect(codesIn(`x${token}`)).toEqual([]);
  });

  it('finds a token with inserted invisible characters', () => {
    const token = invent(/glpat-[A-Za-z0-9]{20}/);
    const hidden = `${token.slice(0, 9)}\u200b${token.slice(9)}`;
    expect(found(`use ${hidden} now`)).toEqual([{ code: 'gitlab_pat', text: hidden }]);
  });

  it('gives an example value in the form of one vendor a lower score', () => {
    const [finding] = scan(`id ${['AKIA', 'IOSFODNN7', 'EXAMPLE'].join('')}`);
    expect(finding?.code).toBe('aws_access_key');
    expect(finding?.score).toBeLessThan(0.9);
  });

  it('ignores placeholders', () => {
    expect(codesIn('OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')).toEqual([]);
    expect(codesIn('api_key: "your-api-key-goes-here-1234"')).toEqual([]);
    expect(codesIn('token = "${DEPLOY_TOKEN_2024_PRODUCTION}"')).toEqual([]);
    expect(codesIn('password: [EMAIL_kqtzbwmrnvdhsl], api_key=[aws_access_key_bcdfghjklmnpqr]')).toEqual([]);
  });

  it('finds a random value that contains the letters of a placeholder word by chance', () => {
    expect(codesIn(`use ${invent(/ghp_[A-Za-z0-9]{20}/)}dUmMy${invent(/[A-Za-z0-9]{11}/)} now`)).toEqual([
      'github_pat',
    ]);
    expect(codesIn(`use ${invent(/ghp_[A-Za-z0-9]{20}/)}dummy${invent(/[A-Za-z0-9]{11}/)} now`)).toEqual([]);
  });

  it('reads only the two ends of a long value to tell whether it only stands for a secret', () => {
    const half = 'aB3dE6gH'.repeat(50);
    expect([`xxxxxx${half}${half}`, `${half}${half}xxxxxx`].map(isPlaceholder)).toEqual([true, true]);
    expect(isPlaceholder(`${half}xxxxxx${half}`)).toBe(false);
  });

  it('finds a private key after any white space, and nothing in the lines around a key alone', () => {
    const [begin, end] = [['-----BEGIN', ' PRIVATE KEY-----'].join(''), ['-----END', ' PRIVATE KEY-----'].join('')];
    const body = invent(/[A-Za-z0-9+/]{64}/);
    for (const text of [`${begin}${' '.repeat(4_000)}${body}`, `${begin}\n${begin}\n${body}\n${end}`])
      expect(found(text)).toEqual([{ code: 'private_key', text }]);
    expect(codesIn(`${begin}\n${begin}\n${end}\n`.repeat(20))).toEqual([]);
  });

  it('tries a token or key only once if many of them could begin close together', () => {
    const [pem] = patternsOf(ruleOf('private_key'));
    const [jwt, encoded] = patternsOf(ruleOf('jwt'));
    const begin = ['-----BEGIN', ' PRIVATE KEY-----'].join('');
    for (const [pattern, start, text] of [
      [pem, begin, `${begin}\n`.repeat(9) + invent(/[A-Za-z0-9+/]{64}/)],
      [jwt, 'ey', `${'ey-'.repeat(60)}.ey${invent(/[A-Za-z0-9]{40}/)}`],
      [encoded, 'ZXlK', `ZXlK-${'ZXlK-'.repeat(9)}${invent(/[A-Za-z0-9]{60}/)}`],
    ] as const) {
      const places = [...text.matchAll(new RegExp(start, 'g'))].map(({ index }) => index);
      const sticky = new RegExp(pattern?.regex.source ?? '', 'y');
      const tried = places.filter((place) => {
        sticky.lastIndex = place;
        return sticky.test(text);
      });
      expect([places.length > 5, tried]).toEqual([true, [0]]);
      expect(found(text).map((finding) => finding.text)).toEqual([text]);
    }
  });

  it('finds a private key from its first line to its last', () => {
    const key = [
      '-----BEGIN RSA',
      ' PRIVATE KEY-----\n',
      invent(/[A-Za-z0-9+/]{64}/),
      '\n-----END RSA',
      ' PRIVATE KEY-----',
    ].join('');
    expect(found(`a\n${key}\nb`)).toEqual([{ code: 'private_key', text: key }]);
  });

  it('finds the existing part of a truncated private key', () => {
    const key = [
      '-----BEGIN',
      ' PRIVATE KEY-----\n',
      invent(/[A-Za-z0-9+/]{64}/),
      '\n',
      invent(/[A-Za-z0-9+/]{40}/, 2),
    ].join('');
    expect(found(key)).toEqual([{ code: 'private_key', text: key }]);
  });

  it('finds a value without a typical form only near the name of its vendor', () => {
    const value = invent(/[a-f0-9]{32}/, 3);
    expect(codesIn(`algolia admin: ${value}`)).toEqual(['algolia_key']);
    expect(codesIn(`build ${value} is done`)).toEqual([]);
    expect(codesIn(value, 'algoliaApiKey')).toEqual(['algolia_key']);
  });

  it('finds a random value whose name denotes a secret, in code, JSON, XML and prose', () => {
    const value = invent(/[A-Za-z0-9]{30}/, 4);
    for (const text of [
      `internal_token = '${value}'`,
      `{"clientSecret": "${value}"}`,
      `<secret>${value}</secret>`,
      `my api key is ${value}`,
    ]) {
      expect(found(text)).toEqual([{ code: 'generic_secret', text: value }]);
    }
    expect(found(value, 'access_token')).toEqual([{ code: 'generic_secret', text: value }]);
  });

  it.each([
    "credentialsId: '29f63271-dc2f-4734-8221-5b31b5169bac'",
    'const token = getAccessTokenFromStore()',
    'key_length = X25519.key_length',
    'public_key = "9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit"',
    '"integrity": "sha512-43/qtrDUokr7LJqoF2c3+RInu/t4zfrpYdoSDfYyhg52rwLV6TnOvdG4fXm7IkSB3wErkcmJS9iEhjVtOSEjjA=="',
    'see https://github.com/a/b/commit/b1122588e7610ae4e0d516c50d08c94ee87946e6',
    'The secret of good cooking is patience and fresh ingredients.',
    'Set max_tokens: 4096 and temperature: 0.2',
    'https://user@example.com/path',
  ])('ignores values that only look like a secret: %s', (text) => {
    expect(codesIn(text)).toEqual([]);
  });

  it('reports passwords chosen by people under a separate code, which is disabled by default', () => {
    const text = 'password: Summer!2031x';
    expect(codesIn(text)).toEqual([]);
    const withPasswords = secrets.create(options, { codes: new Set(['password']) });
    expect(withPasswords(text).map(({ code }) => code)).toEqual(['password']);
  });

  it('distinguishes random strings from names', () => {
    expect(looksRandom(invent(/[A-Za-z0-9]{24}/, 5))).toBe(true);
    expect(looksLikeWords('createUserSessionToken')).toBe(true);
    expect(looksLikeWords('MAX_RETRY_COUNT_2')).toBe(true);
    expect(looksRandom('aaaaaaaaaaaaaaaaaaaaaaaa')).toBe(false);
  });
});
