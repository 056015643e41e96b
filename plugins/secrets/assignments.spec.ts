import { streamedFindings } from '../../test/support/streamed-findings.js';
import { sampleOf, seeded } from './regex-sample.js';
import { secrets } from './secrets.js';

const CODES = new Set(Object.keys(secrets.meta.codes).filter((code) => secrets.meta.codes[code]?.enabled === true));
const scan = secrets.create(secrets.meta.options.parse({}), { codes: CODES });
const found = (text: string, key?: string): (readonly [code: string, text: string])[] =>
  scan(text, key === undefined ? {} : { key }).map(({ code, start, end }) => [code, text.slice(start, end)] as const);

const invent = (pattern: RegExp, seed = 1): string => sampleOf(pattern, seeded(seed)).text;
const value = invent(/[A-Za-z0-9]{32}/, 4);

/** Expects a text, whole and in pieces, to hold exactly this credential. */
function expectFound(text: string, code: string, credential: string): void {
  expect(found(text)).toEqual([[code, credential]]);
  const stream = scan.stream?.({}, CODES);
  if (stream === undefined) throw new Error('the detector has no stream');
  const whole = scan(text);
  expect(streamedFindings(stream, text.match(/[^]{1,7}/g) ?? [], whole)).toEqual({ released: whole, isEarly: false });
}

describe('Values with a name of their own', () => {
  it.each([
    ['a container in JSON', `{"name": "INTERNAL_API_KEY", "value": "${value}"}`],
    ['a container in YAML', `- name: INTERNAL_TOKEN\n            value: "${value}"\n`],
    ['settings in XML', `<add key="ApiSecret" value="${value}" />`],
    ['properties in XML', `<name>fs.store.secret.key</name>\n    <value>${value}</value>`],
    ['a stack', `"ParameterKey": "ApiToken",\n  "ParameterValue": "${value}"`],
    ['a variable', `{ name = "API_TOKEN", value = "${value}" }`],
    ['a form', `<input name="api_key" value="${value}">`],
    ['a sentence', `The API key value is: no. API key value: ${value}`],
  ])('are credentials if that name denotes one: %s', (_what, text) => {
    expectFound(text, 'generic_secret', value);
  });

  it('are credentials in the header of a recorded request', () => {
    expectFound(`{"name": "Authorization", "value": "Bearer ${value}"}`, 'bearer_token', value);
  });

  it.each([
    `{"name": "token_count", "value": "${value}"}`,
    `{"Key": "Name", "Value": "${value}"}`,
    `- name: LOG_LEVEL\n  value: "${value}"`,
    '<input name="api_key" value="your-api-key-here">',
    `{"name": "nextPageToken", "value": "${value}"}`,
    `<input type="hidden" name="authenticity_token" value="${value}">`,
    `<input name="csrfmiddlewaretoken" value="${value}">`,
  ])('are no credentials otherwise: %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('Values in quotation marks', () => {
  const generated = ['k9#(x)v', '2&q7)z{m4', '!p+w8(c]d5', '@e3^r6=y1'].join('');

  it.each([
    (secret: string) => `SECRET_KEY = '${secret}'`,
    (secret: string) => `client_secret: "${secret}"`,
    (secret: string) => `{"db_password":"${secret}"}`,
  ])('are found whole although they contain brackets and other signs: %#', (write) => {
    expectFound(write(generated), 'generic_secret', generated);
  });

  it.each([
    `token: "[A-Za-z0-9_-]{20,40}"`,
    `key: "user:{id}:page:{page2}:v3"`,
    `key: "rgba(12,200,37,0.85)"`,
    `key = 'items[0].fields[12].name'`,
    `token: "<div1><b2>Hello</b2></div1>"`,
    `secret: "%(secret_name_2)s-%(stage1)s"`,
    `auth: "first_name,last_name,email2,created_at"`,
  ])('are no credentials if they are code: %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('Values before the parameters of a URL', () => {
  it.each(['&format=csv&file=report.pdf', '&redirect=https://example.com/a.json', '&next=/a::b'])(
    'are found, whatever follows: %s',
    (rest) => {
      const [finding] = found(`https://api.example.net/v1?token=${value}${rest}`);
      expect(finding?.[0]).toBe('generic_secret');
      expect(finding?.[1].startsWith(value)).toBe(true);
    },
  );
});

describe('Paths, times and places', () => {
  it.each([
    '{"Key": "uploads/2024/05/17/IMG_1234.jpg", "Size": 12}',
    '<Key>logs/2024/05/17/part-00012-run7</Key>',
    '"key_as_string" : "2024-11-23T16:47:58.000Z"',
    `"NextToken": "${value}"`,
    `"nextPageToken": "${value}"`,
    `continuation_token=${value}`,
    `syncToken: ${value}`,
    'token: report-2024-05-17-v3x9.xlsx',
  ])('are no credentials: %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('are no credentials as the value of a JSON key', () => {
    for (const key of ['nextPageToken', 'next_token', 'pageToken']) expect(found(value, key)).toEqual([]);
    for (const key of ['token', 'access_token', 'page_access_token'])
      expect(found(value, key)).toEqual([['generic_secret', value]]);
  });

  it('do not hide a random value with slashes', () => {
    const random = `${invent(/[A-Za-z0-9]{19}/, 8)}/${invent(/[A-Za-z0-9]{20}/, 9)}`;
    expectFound(`internal_key = "${random}"`, 'generic_secret', random);
  });
});

describe('Keys and tokens without their usual frame', () => {
  const base64 = (units: number, seed: number): string => invent(new RegExp(`[A-Za-z0-9]{${units}}`), seed);

  it.each([
    ['RSA, PKCS #1', ['MII', 'EpAIBAAKCAQEA', base64(400, 11)]],
    ['RSA, PKCS #8', ['MII', 'EvQIBADANBgkqhkiG9w0BAQEFAASC', base64(400, 12)]],
    ['an elliptic curve', ['MHc', 'CAQEEI', base64(150, 13), '==']],
    ['Ed25519', ['MC4', 'CAQAwBQYDK2VwBCIEI', base64(43, 14)]],
    ['OpenSSH', ['b3Blbn', 'NzaC1rZXktdjEAAAAA', base64(200, 15)]],
  ])('are found without the first line of a private key: %s', (_what, parts) => {
    expectFound(`the key ${parts.join('')} .`, 'private_key', parts.join(''));
  });

  it('are found over several lines', () => {
    const first = ['MII', 'EpAIBAAKCAQEA', base64(48, 16)].join('');
    const key = [first, base64(64, 17), base64(64, 18), `${base64(30, 19)}==`].join('\n');
    expectFound(`key:\n${key}\n\nThat was the key.`, 'private_key', key);
  });

  it('are found in XML, and in the form of commercial SSH', () => {
    const member = (name: string, seed: number): string => `<${name}>${base64(171, seed)}=</${name}>`;
    const shared = `<RSAKeyValue>${member('Modulus', 25)}<Exponent>AQAB</Exponent>`;
    const xml = `${shared}${member('P', 26)}${member('D', 27)}`;
    expect(found(`${xml}</RSAKeyValue>`)).toEqual([['private_key', xml]]);
    expect(found(`${shared}</RSAKeyValue>`)).toEqual([]);
    const frame = (word: string): string => ['----', word, 'SSH2 ENCRYPTED PRIVATE', 'KEY ----'].join(' ');
    const ssh = `${frame('BEGIN')}\n${base64(70, 28)}\n${frame('END')}`;
    expectFound(`a\n${ssh}\nb`, 'private_key', ssh);
  });

  it('are found in a file of logins', () => {
    const secret = ['Winter', 'time', '!', '2031'].join('');
    for (const joint of [' ', '\n  ']) {
      const entry = ['machine git.example.org', 'login ann', `password ${secret}`].join(joint);
      expectFound(entry, 'basic_auth', secret);
    }
    expect(found('A machine learning login page password reset is slow.')).toEqual([]);
  });

  it('are no certificates and public keys', () => {
    const begins = ['MIIDdzCCAl+gAwIBAgIE', 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A', 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE'];
    for (const begin of begins) expect(found(`cert ${begin}${base64(200, 20)}`)).toEqual([]);
  });

  it('are found if a token is encrypted', () => {
    const rest = [base64(16, 22), base64(120, 23), base64(22, 24)].join('.');
    const token = ['ey', 'J', base64(40, 21), '..', rest].join('');
    expectFound(`session ${token} .`, 'jwt', token);
  });
});
