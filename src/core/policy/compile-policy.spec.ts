import { MEDIA_RULE_ID, UNREAD_RULE_ID } from '../decision/contents-rules.js';
import type { PolicyProblemCode } from './problem-codes.js';
import { PROBLEM_CODES } from './problem-codes.js';
import { compileFiles, compileText, DETECTORS, FILE, head, oneRule, policyOf } from './testdata/sample-policy.js';
import { compilePolicy } from './compile-policy.js';
import { PLUGINS } from './testdata/plugins.js';

/** A policy of one rule with the given fields after its id. */
const rule = (fields: string, extra = ''): string =>
  `${head()}${DETECTORS}${extra}rules:\n  - { id: t, stage: pre, ${fields} }\n`;
const flag = 'then: { action: flag }';
const when = (condition: string, extra = ''): string => rule(`when: ${condition}, ${flag}`, extra);
const exception = (fields: string): string =>
  `${when('{ model.name: x }')}exceptions:\n  - { id: EX-1, because: b, approved_by: a, ticket: t, ${fields} }\n`;
const redact = (fields: string): string =>
  rule(`when: { model.name: x }, on_unknown: match, then: { action: redact, redact: { ${fields} } }`);
const budget = (fields: string): string =>
  `${head()}budgets:\n  - { id: b, scope: [app], window: { per: day }, ${fields} }\n`;

/** Takes as long to compile as thousands of usual expressions. */
const COSTLY = `(?i)[${'B-\\x{1e942}'.repeat(44)}]`;

/** Code of the problem, the text at its reported position, and a policy with this problem. */
const PROBLEMS: readonly (readonly [PolicyProblemCode, string, string])[] = [
  ['G002', 't', `${when('{ model.name: x }')}  - { id: t, stage: pre, when: { model.name: y }, ${flag} }\n`],
  ...['default', UNREAD_RULE_ID, MEDIA_RULE_ID].map(
    (id) => ['G002', id, when('{ model.name: x }').replace('id: t', `id: ${id}`)] as const,
  ),
  [
    'G002',
    'u',
    `${when('{ model.name: x }')}  - { id: u, stage: pre, formerly: [u], when: { model.name: y }, ${flag} }\n`,
  ],
  ['G003', 'colour', head('colour: red\n')],
  ['G003', 'severty', rule(`severty: high, when: { model.name: x }, ${flag}`)],
  ['G003', 'actoin', rule('when: { model.name: x }, then: { action: flag, actoin: flag }')],
  ['G003', 'lokales', when('{ model.name: x }').replace('pii@^1 }', 'pii@^1, lokales: [de] }')],
  ['G004', 'red', head('lists: { a: &x red }\n')],
  ['G004', '*x', head('lists: { a: [*x] }\n')],
  ['G004', '<<', head('lists: { <<: { a: [b] } }\n')],
  ['G004', 'b', head('lists: { a: [!!str b] }\n')],
  ['G005', 'staging', head().replace('environment: production', 'environment: staging')],
  ['G006', 'apiVersion', head().replace('default: allow\n', '')],
  ['G006', 'apiVersion', head().replace('environment: production\n', '')],
  ['G006', '{ id: t, stage: pre, then: { action: flag } }', rule(flag)],
  ['G006', '{ action: redact }', rule('when: { model.name: x }, then: { action: redact }, on_unknown: match')],
  ['G007', 'now', rule(`when: { model.name: x }, ${flag}, review_by: now`)],
  ['G007', '2026-02-30', rule(`when: { model.name: x }, ${flag}, review_by: 2026-02-30`)],
  ['G007', 'blok', rule('when: { model.name: x }, then: { action: blok }')],
  ['G007', 'yes', head('default_max_tokens: yes\n')],
  ['G007', '1.5', head('default_max_tokens: 1.5\n')],
  ['G007', 'Bad Id', rule(`when: { model.name: x }, ${flag}`).replace('id: t', 'id: Bad Id')],
  ['G007', 'model', `${head()}detectors: { model: { plugin: pii } }\n`],
  ['G007', '2026-12-31', exception('rules: [t], expires: 2026-12-31')],
  ['G007', '2026-12-31T25:00:00Z', exception('rules: [t], expires: 2026-12-31T25:00:00Z')],
  ['G007', '0.0000000001', budget('limit: { usd: 0.0000000001 }')],
  ['G007', '{ usd: 1, tokens: 1 }', budget('limit: { usd: 1, tokens: 1 }')],
  ['G007', 'Mars/Base', budget('limit: { usd: 1 }').replace('per: day', 'per: day, timezone: Mars/Base')],
  [
    'G007',
    '"[{name}]"',
    rule(
      'when: { model.name: x }, on_unknown: match, then: { action: redact, redact: { entities: [EMAIL], with: "[{name}]" } }',
    ),
  ],
  ['G008', '[a]', '[a]\n'],
  ['G009', ']', head('lists: { a: ] }\n')],
  ['G014', 'environment', head('environment: production\n')],
  ['G020', 'no-such', `${head()}overrides:\n  - { rule: no-such, because: b, set: { mode: monitor } }\n`],
  ['G020', 'tt', exception('rules: [tt], expires: 2026-12-31T00:00:00Z')],
  ['G030', '24h', head('max_policy_age: 24h\n')],
  ['G007', '1', head('prices: { gpt-4o: 1 }\n')],
  ['G007', '{}', head('prices: { gpt-4o: {} }\n')],
  ['G007', '-1', head('prices: { gpt-4o: { input_usd_per_million: -1 } }\n')],
  ['G007', 'ignore', head('media: ignore\n')],
  ['G007', 'block', head('unread: { governed: block }\n')],
  ['G003', 'files', head('unread: { files: flag }\n')],
  ['G007', 'forget', head('on_blocked_history: forget\n')],
  ['G116', 'true', redact('entities: [EMAIL], restore: true')],
  ['G116', 'true', redact('entities: [EMAIL], tokens: stable, restore: true').replace('stage: pre', 'stage: post')],
  ['G114', '"[x]"', redact('entities: [EMAIL], tokens: stable, with: "[x]"')],
  ['G101', 'modle.name', when('{ modle.name: x }')],
  ['G101', 'pii.counts.EMIAL', when('{ pii.counts.EMIAL: 1 }')],
  ['G101', 'budgets.none.used', when('{ budgets.none.used: { gt: 1 } }')],
  ['G102', 'equals', when('{ model.name: { equals: x } }')],
  ['G102', '[x]', when('{ model.name: [x] }')],
  ['G102', 'not_gte', when('{ pii.count: { not_gte: 1 } }')],
  ['G103', 'gte', when('{ model.name: { gte: 0.6 } }')],
  ['G103', 'many', when('{ pii.count: { gte: many } }')],
  ['G103', '5', when('{ model.name: 5 }')],
  ['G103', '$lists.a', when('{ model.name: $lists.a }', 'lists: { a: [x] }\n')],
  ['G103', '$lists.a', when('{ model.name: { in: $lists.a } }', 'lists: { a: [1] }\n')],
  ['G103', 'in', when('{ pii.types: { in: [EMAIL] } }')],
  ['G103', 'null', when('{ model.name: null }')],
  ['G103', '2026-13-01', when('{ metadata.day: { after: 2026-13-01 } }')],
  ['G103', 'a b', when('{ metadata.mail: { email_domain_in: [a b] } }')],
  ['G104', 'none', when('{ use: none }')],
  ['G104', 'b', when('{ use: a }', 'conditions: { a: { use: b }, b: { use: a } }\n')],
  ['G105', '$lists.models', when('{ model.name: { in: $lists.models } }', 'lists: { model: [x] }\n')],
  ['G105', '$model', when('{ model.name: { in: $model } }')],
  ['G106', 'x', when('{ model.name: { in: x } }')],
  ['G106', '{ model.name: x }', when('{ all: { model.name: x } }')],
  ['G107', 'EMIAL', when('{ pii.types: { any_of: [EMIAL] } }')],
  ['G107', 'prod', when('{ environment: prod }')],
  ['G107', '$lists.a', when('{ pii.types: { any_of: $lists.a } }', 'lists: { a: [EMAIL, EMIAL] }\n')],
  ['G108', '1.5', when('{ pii.score: { gte: 1.5 } }')],
  ['G108', '-1', when('{ pii.count: -1 }')],
  ['G109', 'all', when('{ all: [] }')],
  ['G109', 'any', when('{ any: [] }')],
  ['G109', '{}', when('{ all: [ {} ] }')],
  ['G109', '{}', when('{ model.name: {} }')],
  ['G109', '[]', when('{ model.name: { in: [] } }')],
  ['G109', 'a', head('lists: { a: [] }\n')],
  ['G110', 't', rule('when: { model.name: x }, then: { action: block }')],
  ['G110', 't', rule('when: { model.name: x }, then: { action: redact, redact: { entities: [EMAIL] } }')],
  ['G112', 'any', when('{ all: [ { model.name: x } ], any: [ { model.name: x } ] }')],
  ['G112', 'lt', when('{ pii.count: { gt: 1, lt: 3 } }')],
  ['G114', 'on_unknown', rule('when: { model.name: x }, then: { action: allow }, on_unknown: match')],
  [
    'G114',
    'redact',
    rule('when: { model.name: x }, on_unknown: match, then: { action: block, redact: { entities: [EMAIL] } }'),
  ],
  ['G114', 'reason', rule('when: { model.name: x }, then: { action: flag, reason: tool_use_blocked }')],
  [
    'G115',
    'tool_use_blocked',
    rule('when: { model.name: x }, on_unknown: match, then: { action: block, reason: tool_use_blocked }'),
  ],
  ['G120', 'tool.name', when('{ tool.name: x }')],
  ['G121', 'pii.count', when('{ pii.count: 1 }').replace('  pii: { plugin: pii@^1 }\n', '')],
  ['G121', 'PASSPORT', when('{ pii.types: { any_of: [EMAIL, PASSPORT] } }')],
  [
    'G121',
    'PASSPORT',
    rule('when: { model.name: x }, on_unknown: match, then: { action: redact, redact: { entities: [PASSPORT] } }'),
  ],
  ['G122', 'pii@^2', when('{ model.name: x }').replace('pii@^1', 'pii@^2')],
  ['G122', 'pi@^1', when('{ model.name: x }').replace('pii@^1', 'pi@^1')],
  ['G122', 'tool-use@^2', `${head()}detectors: { toolbox: { plugin: tool-use@^2 } }\n`],
  ['G003', 'min_score', `${head()}detectors: { toolbox: { plugin: tool-use, min_score: 0.5 } }\n`],
  ['G003', '[EMAIL]', `${head()}detectors: { toolbox: { plugin: tool-use, codes: [EMAIL] } }\n`],
  ['G002', 'second', `${head()}detectors: { first: { plugin: tool-use }, second: { plugin: tool-use } }\n`],
  ['G123', 'xx', when('{ model.name: x }').replace('pii@^1 }', 'pii@^1, locales: [de, xx] }')],
  [
    'G124',
    'EMIAL',
    rule('when: { model.name: x }, on_unknown: match, then: { action: redact, redact: { entities: [EMIAL] } }'),
  ],
  [
    'G124',
    'TOKEN',
    rule('when: { model.name: x }, on_unknown: match, then: { action: redact, redact: { entities: [TOKEN] } }'),
  ],
  ['G124', 'EMIAL', when('{ model.name: x }').replace('pii@^1 }', 'pii@^1, codes: [EMIAL] }')],
  ['G124', 'EMIAL', when('{ model.name: x }').replace('pii@^1 }', 'pii@^1, min_score: { EMIAL: 0.5 } }')],
  ['G140', '"(a"', when('{ metadata.a: { matches: "(a" } }')],
  ['G140', '"[a-z]{900}[a-z]{900}"', when('{ metadata.a: { matches: "[a-z]{900}[a-z]{900}" } }')],
  ['G140', '(a)\\1', when('{ metadata.a: { matches: (a)\\1 } }')],
  ['G140', `'${COSTLY}'`, when(`{ metadata.a: { matches: '${COSTLY}' } }`)],
  ['G141', '$.model.name', when('{ $.model.name: x }')],
  ['G141', '"metadata.a[?(@.b)]"', when('{ "metadata.a[?(@.b)]": x }')],
  ['G141', '"{{model.name}}"', when('{ "{{model.name}}": x }')],
  ['G141', 'metadata.__proto__', when('{ metadata.__proto__: x }')],
  ['G141', 'metadata..a', when('{ metadata..a: x }')],
  [
    'G305',
    'u',
    `${oneRule('{ model.name: x }').replace('id: t', 'id: u')}overrides:\n  - { rule: u, because: b, set: { then.action: flag } }\n`,
  ],
  ['G307', 'mode', rule(`when: { model.name: x }, ${flag}, mode: monitor`)],
  ['G310', 'metadata.vip', rule('when: { not: { metadata.vip: true } }, then: { action: block }, on_unknown: match')],
  ['G310', 'metadata.vip', rule('when: { metadata.vip: true }, then: { action: allow }')],
  ['G310', 'metadata.vip', exception('rules: [t], expires: 2026-12-31T00:00:00Z, when: { metadata.vip: true }')],
  ['G310', 'request.stream', exception('rules: [t], expires: 2026-12-31T00:00:00Z, when: { request.stream: true }')],
  ['G310', 'request.stream', rule('when: { request.stream: false }, then: { action: allow }')],
  [
    'G310',
    'request.max_tokens',
    rule('when: { not: { request.max_tokens: { gt: 5 } } }, then: { action: block }, on_unknown: match'),
  ],
];

const WARNINGS: readonly (readonly [PolicyProblemCode, string, string])[] = [
  ['G001', 'a', head()],
  [
    'G125',
    'b',
    `${budget('limit: { usd: 1 }, on_exceed: block')}rules:\n  - { id: t, stage: pre, when: { model.name: x }, ${flag} }\n`,
  ],
  ['G111', 'on_unknown', rule('when: { model.name: x }, then: { action: block }, on_unknown: no_match')],
  ['G300', 'metadata', when('{ model.name: x }').replace(', owner: security@acme.example', '')],
];

const numbered = (cases: typeof PROBLEMS) => cases.map(([code, at, text], index) => ({ code, at, text, index }));

describe('compilePolicy', () => {
  it.each(numbered(PROBLEMS))('reports $code at $at ($index)', ({ code, at, text }) => {
    const { policy, problems } = compileText(text);
    expect(policy).toBeUndefined();
    const found = problems.find((problem) => problem.code === code);
    expect(found ?? problems).toMatchObject({ code, level: 'error', file: FILE });
    const line = text.split('\n')[found!.line - 1]!;
    expect(line.slice(found!.column - 1, found!.column - 1 + found!.length)).toBe(at);
  });

  it.each(numbered(WARNINGS))('reports $code as a warning, and still compiles the policy', ({ code, at, text }) => {
    const { policy, problems } = compileText(text);
    expect(problems.map((problem) => [problem.code, problem.level])).toEqual([[code, 'warning']]);
    expect(policy).toBeDefined();
    const line = text.split('\n')[problems[0]!.line - 1]!;
    expect(line.slice(problems[0]!.column - 1, problems[0]!.column - 1 + problems[0]!.length)).toBe(at);
  });

  it('is tested for every code', () => {
    const tested = new Set<string>([...PROBLEMS, ...WARNINGS].map(([code]) => code));
    const elsewhere = ['G010', 'G011', 'G012', 'G013', 'G021', 'G022'];
    expect(Object.keys(PROBLEM_CODES).filter((code) => !tested.has(code) && !elsewhere.includes(code))).toEqual([]);
  });

  it('reports all problems at once, in the order of the text', () => {
    const { problems } = compileText(
      `${head('colour: red\n')}${DETECTORS}rules:
  - { id: a, stage: pre, when: { modle.name: x }, then: { action: flag } }
  - { id: b, stage: pre, when: { all: [ { model.name: 5 }, { use: none } ] }, then: { action: block } }
  - { id: c, stage: sometimes, when: { pii.types: { any_of: [EMIAL] } }, then: { action: flag } }
`,
    );
    expect(problems.map(({ code, line }) => [code, line])).toEqual([
      ['G003', 6],
      ['G101', 12],
      ['G110', 13],
      ['G103', 13],
      ['G104', 13],
      ['G007', 14],
      ['G107', 14],
    ]);
  });

  it('reports no second problem for a reference to a rule that does not compile', () => {
    const text = exception('rules: [t], expires: 2026-12-31T00:00:00Z').replace('model.name: x', 'modle.name: x');
    expect(compileText(text).problems.map(({ code }) => code)).toEqual(['G101']);
  });

  it('suggests the nearest known name', () => {
    const hint = (text: string) => compileText(text).problems.map((problem) => problem.hint);
    expect(hint(when('{ modle.name: x }'))).toEqual(['did you mean "model.name"?']);
    expect(hint(when('{ pii.count: { gtt: 1 } }'))).toEqual(['did you mean "gt"?']);
    expect(hint(when('{ pii.types: { any_of: [EMIAL] } }'))).toEqual(['did you mean "EMAIL"?']);
    expect(hint(when('{ pii.types: { any_of: [PASSPORT] } }'))).toEqual([
      'add it: detectors.pii.codes: { add: [PASSPORT] }',
    ]);
    expect(hint(head('defualt_max_tokens: 5\n'))).toContain('did you mean "default_max_tokens"?');
  });

  it('refuses files that are too large, too deep or missing', () => {
    expect(compileText(`${head()}# ${'x'.repeat(1_048_576)}`).problems).toMatchObject([{ code: 'G010' }]);
    for (const depth of [60, 5_000, 200_000]) {
      const { policy, problems } = compileText(head(`lists: ${'['.repeat(depth)}${']'.repeat(depth)}\n`));
      expect(policy).toBeUndefined();
      expect(problems.length).toBeGreaterThan(0);
    }
    expect(compilePolicy({ environment: 'staging', files: [], plugins: PLUGINS }).problems).toMatchObject([
      { code: 'G011' },
    ]);
    expect(compileFiles({ '_shared/a.yaml': head() }).problems).toMatchObject([{ code: 'G011' }]);
  });

  it('refuses ten short lines that expand to millions of conditions', () => {
    const lines = Array.from({ length: 8 }, (_, level) => {
      const uses = Array.from({ length: 20 }, () => `{ use: c${level} }`).join(', ');
      return `  c${level + 1}: { any: [${uses}] }`;
    });
    const named = `conditions:\n  c0: { model.name: gpt }\n${lines.join('\n')}\n`;
    const { policy, problems } = compileText(when('{ use: c8 }', named));
    expect(policy).toBeUndefined();
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ['G010', 'the policy has more than 10000 conditions'],
    ]);
  });

  it('accepts prices of models with long names, such as those of inference profiles', () => {
    const profile = 'us.anthropic.claude-3-5-sonnet-20241022-v2:0';
    const model = `bedrock/arn:aws:bedrock:us-east-1:123456789012:inference-profile/${profile}`;
    expect(model.length).toBeGreaterThan(100);
    const priced = (name: string): string => head(`prices: { "${name}": { input_usd_per_million: 3 } }\n`);
    expect(Object.keys(policyOf(priced(model)).prices ?? {})).toEqual([model]);
    expect(Object.keys(policyOf(priced('m'.repeat(256))).prices ?? {})).toHaveLength(1);
    const { problems } = compileText(priced('m'.repeat(257)));
    expect(problems.filter(({ level }) => level === 'error')).toMatchObject([
      { code: 'G007', hint: 'the key is too long' },
    ]);
  });

  it('refuses a directive and a second document', () => {
    expect(compileText(`%YAML 1.1\n---\n${head()}`).problems.map(({ code }) => code)).toContain('G004');
    expect(compileText(`${head()}---\n${head()}`).problems.map(({ code }) => code)).toContain('G009');
  });

  it('reads words such as yes as text, although YAML 1.1 gives them another type', () => {
    const { lists } = policyOf(head('lists: { countries: [NO, on, yes, 010, 1_000] }\n'));
    expect(lists['countries']).toEqual([10, '1_000', 'NO', 'on', 'yes']);
  });
});
