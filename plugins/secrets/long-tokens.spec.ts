import { sampled } from '../../test/support/sampled.js';
import { streamedFindings } from '../../test/support/streamed-findings.js';
import { sampleOf, seeded } from './regex-sample.js';
import { secrets } from './secrets.js';

const CODES = new Set(Object.keys(secrets.meta.codes).filter((code) => secrets.meta.codes[code]?.enabled === true));
const scan = secrets.create(secrets.meta.options.parse({}), { codes: CODES });

interface Value {
  readonly code: string;
  readonly text: string;
}

function found(text: string, key?: string): Value[] {
  return scan(text, key === undefined ? {} : { key }).map(({ code, start, end }) => ({
    code,
    text: text.slice(start, end),
  }));
}

/** Expects these values in a text, and the same in the text when it arrives in pieces. */
function expectFound(text: string, values: readonly Value[]): void {
  expect(found(text)).toEqual(values);
  const stream = scan.stream?.({}, CODES);
  if (stream === undefined) throw new Error('the detector has no stream');
  const whole = scan(text);
  expect(streamedFindings(stream, text.match(/[^]{1,61}/g) ?? [], whole)).toEqual({ released: whole, isEarly: false });
}

const random = (units: number, seed = 1): string => sampleOf(new RegExp(`[A-Za-z0-9]{${units}}`), seeded(seed)).text;
const base64 = (units: number, seed = 1): string =>
  sampleOf(new RegExp(`[A-Za-z0-9+/]{${units - 1}}[A-Za-z0-9]`), seeded(seed)).text;
const jwt = (payload: number): string =>
  ['ey', 'J', random(33, 4), '.ey', 'J', random(payload - 3, 5), '.', random(342, 6)].join('');

describe('Long JSON Web Tokens', () => {
  it.each(sampled([60, 2_600, 9_000], 3))(
    'are found with all three parts, with a payload of %i characters',
    (payload) => {
      const token = jwt(payload);
      for (const text of [
        `got ${token} back`,
        `Authorization: Bearer ${token}\n`,
        `access_token=${token}&expires_in=3600`,
        `{"access_token":"${token}"}`,
      ])
        expectFound(text, [{ code: 'jwt', text: token }]);
      expect(found(token, 'access_token')).toEqual([{ code: 'jwt', text: token }]);
    },
  );

  it('are found if they were encoded a second time', () => {
    const token = ['ZXl', 'K', base64(4_000)].join('');
    expectFound(`token ${token} end`, [{ code: 'jwt', text: token }]);
  });
});

describe('JSON Web Keys', () => {
  const publicRsa = { kty: 'RSA', n: random(683, 1), e: 'AQAB' };
  const privateRsa = Object.fromEntries(
    ['d', 'p', 'q', 'dp', 'dq', 'qi'].map((name, at) => [name, random(name === 'd' ? 683 : 342, 10 + at)]),
  );
  const publicEc = { kty: 'EC', crv: 'P-256', x: random(43, 20), y: random(43, 21) };
  const privateEc = { d: random(43, 22) };
  const symmetric = { k: random(43, 23) };
  const inOrder = (key: object): object =>
    Object.fromEntries(Object.entries(key).sort(([one], [other]) => (one < other ? -1 : 1)));

  const keys: readonly (readonly [name: string, open: object, hidden: Readonly<Record<string, string>>])[] = [
    ['an elliptic curve', publicEc, privateEc],
    ['RSA with 4,096 bits', publicRsa, privateRsa],
    ['a symmetric key', { kty: 'oct' }, symmetric],
  ];

  it.each(keys)('have each of their private members found, in any order: %s', (_name, open, hidden) => {
    const values = Object.values(hidden).map((text) => ({ code: 'private_key', text }));
    const byText = (one: Value, other: Value): number => (one.text < other.text ? -1 : 1);
    const orders = [{ ...open, ...hidden }, { ...hidden, ...open }, inOrder({ ...open, ...hidden })];
    for (const key of sampled(orders, 3))
      for (const text of [
        JSON.stringify(key),
        JSON.stringify({ keys: [key] }, null, 2),
        JSON.stringify(JSON.stringify(key)),
        JSON.stringify(key).replaceAll('"', "'"),
      ]) {
        expect(found(text).sort(byText)).toEqual([...values].sort(byText));
        expectFound(`${text}\nand ${'more text '.repeat(20)}`, found(text));
      }
  });

  it('give no finding if they are public', () => {
    expectFound(JSON.stringify({ keys: [publicRsa, publicEc, { ...publicEc, kid: random(30, 24) }] }), []);
  });

  it('need the member kty in the same object', () => {
    expectFound(`${JSON.stringify({ ...publicEc })} and ${JSON.stringify({ a: 1, ...privateEc, ...symmetric })}`, []);
    expectFound(JSON.stringify(privateRsa), []);
  });

  it('hold back the text after a value in a stream only until their object ends', () => {
    const stream = scan.stream?.({}, CODES);
    const text = `${JSON.stringify(symmetric)} ${'and so on '.repeat(8)}`;
    expect(stream?.push(text).upTo).toBeGreaterThan(text.indexOf('and'));
  });
});

describe('Long opaque tokens', () => {
  it.each(['c', 'd'])('of Google service accounts are found without the dots that pad them: ya29.%s.', (letter) => {
    const token = ['ya', '29.', letter, '.', random(180, 7)].join('');
    const padded = token.padEnd(1_024, '.');
    for (const text of [`use ${padded} now`, `Authorization: Bearer ${padded}`, `{"access_token":"${padded}"}`])
      expectFound(text, [{ code: 'google_oauth_token', text: token }]);
  });

  it('are found from their beginning to their end, with the dots in them', () => {
    for (const token of [
      `0.AXEA${random(60, 1)}kE.AgABAwEA${random(1_000, 2)}`,
      `1.A${random(30, 3)}.ab.${random(300, 4)}.x`,
      random(300, 5),
      `${random(200, 6)}-${random(1_500, 7)}_${random(300, 8)}==`,
    ]) {
      const values = [{ code: 'generic_secret', text: token }];
      expectFound(`{"refresh_token":"${token}"}`, values);
      expectFound(`api_key=${token}&user=7`, values);
      expect(found(token, 'refresh_token')).toEqual(values);
      expectFound(`Authorization: Bearer ${token}`, [{ code: 'bearer_token', text: token }]);
      expect(found(`\nX-Api-Key: ${token}`)).toContainEqual({ code: 'bearer_token', text: token });
    }
  });

  it('are not public keys', () => {
    for (const begin of ['AAAAB3NzaC1yc2E', 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A'])
      expect(found(`key = "${begin}${random(350, 9)}"`)).toEqual([]);
  });

  const inBase64 = [
    ['aws_session_token', ['IQoJb3Jp', 'Z2lu'], 1_800],
    ['aws_session_token', ['FwoGZXIv', 'YXdz'], 4_000],
    ['aws_bedrock_key', ['AB', 'SK'], 1_000],
    ['aws_bedrock_key', ['bedrock-api', '-key-'], 3_000],
    ['fly_token', ['fm', '2_'], 1_500],
    ['grafana_token', ['gl', 'c_'], 2_000],
    ['onepassword_secret', ['ops', '_eyJ'], 3_000],
  ] as const;
  it.each(sampled(inBase64, 3))('in base64 are found as a whole: %s of %j and %i characters', (code, mark, units) => {
    const token = [...mark, base64(units)].join('');
    for (const text of [`see ${token} now`, `"${token}=="`])
      expectFound(text, [{ code, text: text.includes('==') ? `${token}==` : token }]);
  });
});
