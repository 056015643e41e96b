import { isIdentifier, isPlain } from '../../src/core/index.js';
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
      const isFound = scan(id, {}).some(({ code, score }) => score >= secrets.meta.codes[code]!.minScore);
      return isIdentifier(id) && isFound;
    });
    expect(passed.map(({ code }) => code)).toEqual([]);
  });

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
