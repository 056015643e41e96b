import { isIdentifier, isIdentifierOf, isPlain, isPlainOf } from '../../src/core/index.js';
import { sampleOf, seeded } from './regex-sample.js';
import { secretExamples } from './samples.js';
import { SECRET_RULES } from './about.js';
import { secrets } from './secrets.js';

const scan = secrets.create(secrets.meta.options.parse({}), {
  codes: new Set(Object.keys(secrets.meta.codes)),
});
const PREFIXES = [
  'file-',
  'run_',
  'fc-',
  'rs_',
  'req_',
  'call_',
  'toolu_',
  'toolu_01',
  'msg_',
  'resp_',
  'gen-',
  'chatcmpl-',
];
const CREDENTIALS = secretExamples(SECRET_RULES).flatMap(({ finds }) =>
  finds.map(({ code, text }) => ({ code, text })),
);

/** The marks with which credentials of vendors begin. */
const MARKS = SECRET_RULES.flatMap(({ shapes }) =>
  shapes.flatMap(({ trigger }) => (trigger.on === 'literals' ? trigger.literals : [])),
);
/** Random texts in the forms that ids can have: UUIDs, and letters and digits of each usual length. */
const ENDS = [
  ...['[0-9a-f]', '[0-9A-F]'].map((hex) => new RegExp(`${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`)),
  ...[12, 16, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 43, 44, 48, 56, 60, 64].flatMap((length) =>
    ['[0-9a-f]', '[A-Z0-9]', '[a-z0-9]', '[A-Za-z0-9]'].map((letter) => new RegExp(`${letter}{${length}}`)),
  ),
].map((form, index) => sampleOf(form, seeded(index + 1)).text);
const isFound = (text: string, key?: string): boolean =>
  scan(text, key === undefined ? {} : { key }).some(({ code, score }) => score >= secrets.meta.codes[code]!.minScore);

/** Ids in the formats that providers generate. */
const IDS = [
  ...['call_a1B2c3D4e5F6a1B2c3D4e5F6', 'toolu_01A09q90qw90lq917835lq9', 'toolu_bdrk_01A09q90qw90lq917835lq9'],
  ...['file-BK7bzQj3FfZFXr7DbL6xJwfo', 'msg_67ccd3acc8d48190a77525dc6de64b4104becb25c45c1d42', 'fp_44709d6fcb'],
  ...[
    'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
    'gen-1710000000-a1B2c3D4e5F6a1B2c3D4',
    'run--01234567-89ab-4def-8123-456789abcdef-0',
  ],
  ...[
    'tooluse_kZJMlvQmRJ6eAyJE5GIl7Q',
    'tooluse_k-JMlvQmRJ6eAy_E5GIl7Q',
    'call_0',
    'function-call-12345678901234567890',
  ],
];

describe('Ids of provider objects', () => {
  it.each(PREFIXES)('that begin with %s are still scanned if a credential follows', (prefix) => {
    const passed = CREDENTIALS.filter(({ text }) => {
      const id = prefix + text;
      return isIdentifier(id) && isFound(id);
    });
    expect(passed.map(({ code }) => code)).toEqual([]);
  });

  it('are never the credentials of a vendor, whatever letters and digits follow its mark', () => {
    const all = MARKS.flatMap((mark) => ENDS.map((end) => mark + end));
    expect(all.filter((text) => (isPlain(text) || isPlainOf('id', text)) && isFound(text))).toEqual([]);
  });

  it.each(['heroku_api_key', 'snyk-token', 'postmark', 'x-pinecone'])(
    'are scanned together with a name that makes them a credential: %s',
    (name) => {
      const id = ['3f2504e0', '4f89', '41d3', '9a0c', '0305e82c3301'].join('-');
      expect(isFound(id, name)).toBe(true);
      expect([isPlainOf(name, id), isIdentifierOf(name, id)]).toEqual([false, false]);
      expect([isPlainOf('request_id', id), isIdentifierOf('after', id)]).toEqual([true, true]);
    },
  );

  it('are not judged, like enum values and dates, and no credential counts as one of these', () => {
    const passed = CREDENTIALS.filter(({ text }) => isPlain(text) && scan(text, {}).length > 0);
    expect(passed.map(({ code, text }) => [code, text])).toEqual([]);
  });

  it.each(IDS)('are skipped in the formats that providers generate: %s', (id) => {
    expect(isIdentifier(id)).toBe(true);
  });

  it.each(['call_123-45-6789', 'file-4111111111111111', 'run_jane_doe-555-0100', 'req_' + 'a1B2'.repeat(17)])(
    'are scanned in any other format: %s',
    (id) => {
      expect(isIdentifier(id)).toBe(false);
    },
  );
});
