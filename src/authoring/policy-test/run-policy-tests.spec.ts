import { runPolicyTests, type PolicyTestResult } from '../index.js';
import { compilePolicy, type CompiledPolicy, type Environment } from '../../core/index.js';
import { CATALOG } from './testdata/catalog.js';
import { POLICY, SUITE, SUITE_HEAD } from './testdata/worked-policy.js';

const NOW_MS = Date.parse('2026-11-21T10:00:00Z');

function compiled(text = POLICY): CompiledPolicy {
  const path = 'policies/production/policy.yaml';
  const { policy, problems } = compilePolicy({ environment: 'production', files: [{ path, text }], plugins: CATALOG });
  if (policy === undefined) throw new Error(problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return policy;
}

function run(text: string, more: { policy?: CompiledPolicy; detectors?: 'stub' | 'live'; nowMs?: number } = {}) {
  const { policy = compiled(), ...rest } = more;
  const policies = new Map<Environment, CompiledPolicy>([['production', policy]]);
  const files = [{ path: 'tests/production.test.yaml', text }];
  return runPolicyTests({ files, policies, plugins: CATALOG, nowMs: NOW_MS, ...rest });
}

const one = (test: string): string => SUITE_HEAD + test.replace(/^/gm, '  ');
const failuresOf = (result: PolicyTestResult | undefined) => (result?.status === 'failed' ? result.failures : []);

describe('runPolicyTests', () => {
  it('passes the published suite, with each table row as a separate test', async () => {
    const { results, problems } = await run(SUITE);
    expect(problems).toEqual([]);
    expect(results.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(results.map(({ id }) => id)).toEqual(expect.arrayContaining(['live-credential[2]', 'budget-boundary[3]']));
    expect(results).toHaveLength(20);
  });

  it('fails the test of a rule if the rule is weakened or fails open', async () => {
    const failed = async (from: RegExp, to: string): Promise<string[]> => {
      const changed = POLICY.replace(from, to);
      expect(changed).not.toBe(POLICY);
      const { results } = await run(SUITE, { policy: compiled(changed) });
      return results.filter(({ status }) => status === 'failed').map(({ id }) => id);
    };
    expect(await failed(/any_of: \[US_SSN, PASSPORT\]/, 'any_of: [PASSPORT]')).toContain('ssn-blocked');
    expect(await failed(/expires: 2026-12-31T23:59:59Z/, 'expires: 2027-12-31T23:59:59Z')).toEqual([
      'ssn-hr-exception-lapses',
    ]);
    expect(await failed(/used_ratio: \{ gte: 0.8 \}/, 'used_ratio: { gt: 0.8 }')).toEqual(['budget-boundary[2]']);
    expect(await failed(/\{type\}_\{n\}/, '{type}')).toEqual(['contact-details-are-redacted']);
    expect(
      await failed(
        /any_of: \[aws_access_key, github_pat, private_key\] \}\n {4}then: \{ action: block, reason: content_policy_violation \}\n {4}on_unknown: match/,
        'any_of: [aws_access_key, github_pat, private_key] }\n    then: { action: block, reason: content_policy_violation }\n    on_unknown: no_match',
      ),
    ).toEqual(['secrets-detector-down-fails-closed']);
  });

  it('reports the false condition and the value of its fact', async () => {
    const { results } = await run(
      one('- { id: t, text: "Pay {{US_SSN:078}}", expect: { action: redact, rules: [pii.redact-contact] } }'),
    );
    const failures = failuresOf(results[0]);
    expect(failures.map(({ field }) => field)).toEqual(['action', 'rules']);
    expect(failures[1]?.why.join('\n')).toMatch(
      /pii.redact-contact did not match\n.*false.*pii.types any_of .*= \["US_SSN"\]/,
    );
    expect(failures[1]?.why.join('\n')).toMatch(/pii.block-government-id matched/);
    expect(results[0]).toMatchObject({ file: 'tests/production.test.yaml', environment: 'production', mode: 'stub' });
  });

  it('fails if a redacted value remains elsewhere in the text', async () => {
    const test =
      '- { id: t, text: "{{EMAIL:bob@corp.example}} and bob@corp.example", expect: { action: redact, rules: [pii.redact-contact] } }';
    expect(failuresOf((await run(one(test))).results[0])).toEqual([expect.objectContaining({ field: 'leak' })]);
  });

  it('compares only the keys that a test sets, except unavailable, which it always compares', async () => {
    const test =
      '- { id: t, text: hello, unavailable: [secrets], expect: { action: block, rules_include: [secrets.block-live-credential] } }';
    expect(failuresOf((await run(one(test))).results[0])).toEqual([expect.objectContaining({ field: 'unavailable' })]);
  });

  it('skips a test until its date has passed, then fails it', async () => {
    const test = one(
      '- { id: t, text: hello, skip: true, because: later, until: 2026-11-21, expect: { action: block, rules: [] } }',
    );
    expect((await run(test)).results).toMatchObject([{ status: 'skipped', because: 'later' }]);
    expect((await run(test, { nowMs: Date.parse('2026-11-22T00:00:00Z') })).results).toMatchObject([
      { status: 'failed' },
    ]);
  });

  it('runs only the selected tests', async () => {
    const input = {
      files: [{ path: 't', text: SUITE }],
      policies: new Map([['production', compiled()] as const]),
      plugins: CATALOG,
    };
    const { results } = await runPolicyTests({ ...input, nowMs: NOW_MS, only: ({ id }) => id.startsWith('live') });
    expect(results.map(({ id }) => id)).toEqual(['live-credential[1]', 'live-credential[2]', 'live-credential[3]']);
  });

  it('removes blocked turns from a conversation as the policy requires', async () => {
    const conversation = (expected: string): string =>
      one(`
- id: earlier-turn
  model: { name: gpt-4o }
  messages:
    - { role: user, content: one }
    - { role: assistant, content: uno }
    - { role: user, content: "my number is {{US_SSN:536-22-8716}}" }
    - { role: assistant, content: no }
    - { role: user, content: two }
  expect: ${expected}
`);
    const repaired = (text: string) =>
      `{ action: redact, rules: [pii.block-government-id], redactions: [{ type: blocked_history, count: 1 }], text: ${text} }`;
    const drop = compiled(POLICY.replace(/^default: allow$/m, 'default: allow\non_blocked_history: drop'));
    const replace = compiled(POLICY.replace(/^default: allow$/m, 'default: allow\non_blocked_history: replace'));
    for (const [policy, expected] of [
      [compiled(), '{ action: block, rules: [pii.block-government-id] }'],
      [drop, repaired('[one, uno, two]')],
      [replace, repaired('[one, uno, "[removed by policy]", no, two]')],
    ] as const) {
      const { results, problems } = await run(conversation(expected), { policy });
      expect(problems).toEqual([]);
      expect(results.map((result) => [result.status, failuresOf(result)])).toEqual([['passed', []]]);
    }
    const { results } = await run(conversation('{ action: block, rules: [pii.block-government-id] }'), {
      policy: drop,
    });
    expect(results.map(({ status }) => status)).toEqual(['failed']);
  });
});

describe('runPolicyTests of a policy that blocks by default', () => {
  const strict = (): CompiledPolicy =>
    compiled(
      POLICY.replace('default: allow', 'default: block').replace(
        'rules:\n',
        'rules:\n  - { id: chat.allow, stage: pre, when: { app.name: web }, then: { action: allow } }\n',
      ),
    );

  it('accepts the default as a rule in expectations', async () => {
    const test = '- { id: t, text: hi, app: { name: other }, expect: { action: block, rules: [default] } }';
    expect((await run(one(test), { policy: strict() })).results).toMatchObject([{ status: 'passed' }]);
    expect((await run(one(test))).problems).toMatchObject([{ code: 'T030' }]);
  });
});

describe('runPolicyTests with live detectors', () => {
  it('fails unless the real detectors find exactly the marked texts', async () => {
    const found =
      '- { id: t, text: "Ask {{EMAIL:bob@corp.example}}", expect: { action: redact, rules: [pii.redact-contact], text: "Ask [EMAIL_1]" } }';
    expect((await run(one(found), { detectors: 'live' })).results).toMatchObject([{ status: 'passed', mode: 'live' }]);
    const missed = '- { id: t, text: "Ask {{EMAIL:bob at corp}}", expect: { action: allow, rules: [] } }';
    const shifted =
      '- { id: t, text: "{{EMAIL:Ask bob@corp.example}}", expect: { action: redact, rules: [pii.redact-contact] } }';
    const unmarked =
      '- { id: t, text: "Ask bob@corp.example", expect: { action: redact, rules: [pii.redact-contact] } }';
    for (const test of [missed, shifted, unmarked]) {
      expect(failuresOf((await run(one(test), { detectors: 'live' })).results[0]).map(({ field }) => field)).toContain(
        'findings',
      );
    }
  });

  it('uses stubs for a test that requests them', async () => {
    const test =
      '- { id: t, detectors: stub, text: "{{EMAIL:bob}}", expect: { action: redact, rules: [pii.redact-contact] } }';
    expect((await run(one(test), { detectors: 'live' })).results).toMatchObject([{ status: 'passed', mode: 'stub' }]);
  });
});

describe('a test file with a mistake', () => {
  const expectation = 'expect: { action: allow, rules: [] }';
  it.each([
    ['an unknown key', `- { id: t, text: hi, txt: hi, ${expectation} }`, 'T002'],
    [
      'an unknown key of an expectation',
      '- { id: t, text: hi, expect: { action: allow, rules: [], rule: [] } }',
      'T002',
    ],
    ['an action that does not exist', '- { id: t, text: hi, expect: { action: pass, rules: [] } }', 'T003'],
    ['no rules', '- { id: t, text: hi, expect: { action: allow } }', 'T003'],
    ['no action', '- { id: t, text: hi, expect: { rules: [] } }', 'T003'],
    ['no expectation', '- { id: t, text: hi }', 'T003'],
    [
      'a number in facts that JSON cannot represent',
      `- { id: t, text: hi, facts: { a: [.inf] }, ${expectation} }`,
      'T003',
    ],
    [
      'a number in metadata that JSON cannot represent',
      `- { id: t, text: hi, metadata: { a: .nan }, ${expectation} }`,
      'T003',
    ],
    [
      'a number in a table that JSON cannot represent',
      `- { id: t, text: $a, table: { columns: [a], rows: [[.nan]] }, ${expectation} }`,
      'T040',
    ],
    [
      'an expectation for an unknown environment',
      `- { id: t, text: hi, expect@prod: { action: allow, rules: [] }, ${expectation} }`,
      'T004',
    ],
    ['an environment without a policy', `- { id: t, environments: [staging], text: hi, ${expectation} }`, 'T004'],
    ['an unknown environment', `- { id: t, environments: [prod], text: hi, ${expectation} }`, 'T004'],
    ['an id used twice', `- { id: t, text: hi, ${expectation} }\n- { id: t, text: ho, ${expectation} }`, 'T006'],
    ['an annotation that does not end', `- { id: t, text: "{{EMAIL:x", ${expectation} }`, 'T010'],
    ['an unknown entity', `- { id: t, text: "{{EMAL:x}}", ${expectation} }`, 'T011'],
    ['an entity of another detector', `- { id: t, text: "{{secrets/EMAIL:x}}", ${expectation} }`, 'T011'],
    ['an unknown fact', `- { id: t, text: hi, facts: { pii: { cnt: 1 } }, ${expectation} }`, 'T020'],
    ['a fact of the wrong type', `- { id: t, text: hi, facts: { pii: { count: many } }, ${expectation} }`, 'T021'],
    ['a fact outside its range', `- { id: t, text: hi, facts: { pii: { score: 2 } }, ${expectation} }`, 'T021'],
    [
      'a fact with an unknown value',
      `- { id: t, text: hi, facts: { pii: { types: [EMAL] } }, ${expectation} }`,
      'T021',
    ],
    ['a fact that is not set', `- { id: t, stage: tool, text: hi, ${expectation} }`, 'T022'],
    ['an unknown rule', '- { id: t, text: hi, expect: { action: allow, rules: [pii.redact-contacts] } }', 'T030'],
    [
      'an unknown rule that must not fire',
      '- { id: t, text: hi, expect: { action: allow, rules_exclude: [nope] } }',
      'T030',
    ],
    ['an unknown exception', '- { id: t, text: hi, expect: { action: allow, rules: [], exceptions: [EX-1] } }', 'T031'],
    ['an unknown detector', `- { id: t, text: hi, unavailable: [secret], ${expectation} }`, 'T032'],
    [
      'a redaction type that no rule has',
      '- { id: t, text: hi, expect: { action: allow, rules: [], redactions: [{ type: X, count: 1 }] } }',
      'T033',
    ],
    [
      'a row of the wrong length',
      `- { id: t, table: { columns: [a, b], rows: [[1]] }, text: "$a $b", ${expectation} }`,
      'T040',
    ],
    [
      'a column that is not used',
      `- { id: t, table: { columns: [a], rows: [[1]] }, text: hi, ${expectation} }`,
      'T040',
    ],
    [
      'a name that is not a column',
      `- { id: t, table: { columns: [a], rows: [[1]] }, text: "$a $b", ${expectation} }`,
      'T041',
    ],
    ['a skip without a reason', `- { id: t, text: hi, skip: true, ${expectation} }`, 'T050'],
    [
      'a text and a conversation',
      `- { id: t, text: hi, messages: [{ role: user, content: hi }], ${expectation} }`,
      'T003',
    ],
    ['an invalid clock', `- { id: t, text: hi, clock: today, ${expectation} }`, 'T003'],
    ['a key written twice', `- { id: t, text: hi, text: ho, ${expectation} }`, 'G014'],
  ])('is rejected for %s, with its position, and no test runs', async (_, tests, code) => {
    const { results, problems } = await run(one(tests));
    expect(results).toEqual([]);
    expect(problems.map((problem) => problem.code)).toContain(code);
    for (const problem of problems)
      expect(problem).toMatchObject({ level: 'error', file: 'tests/production.test.yaml' });
  });

  it('is rejected if it contains no test, or does not exist', async () => {
    expect((await run(`${SUITE_HEAD.trimEnd()} []`)).problems).toMatchObject([{ code: 'T005' }]);
    const none = await runPolicyTests({ files: [], policies: new Map(), plugins: CATALOG, nowMs: NOW_MS });
    expect(none).toMatchObject({ results: [], problems: [{ code: 'T005' }] });
  });

  it('is reported with line, column and a suggestion', async () => {
    const { problems } = await run(
      one(`- id: t\n  text: "hi"\n  expect:\n    action: allow\n    rules: [pii.redact-contcat]`),
    );
    const lines = one('').split('\n').length;
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'T030',
        line: lines + 4,
        column: 15,
        length: 18,
        hint: 'did you mean "pii.redact-contact"?',
      }),
    ]);
  });
});
