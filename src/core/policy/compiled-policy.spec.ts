import { compileFiles, compileText, DETECTORS, head, must, oneRule, policyOf } from './testdata/sample-policy.js';

/** A policy of one rule with the given fields after its id. */
const rule = (fields: string, extra = ''): string =>
  `${head()}${DETECTORS}${extra}rules:\n  - { id: t, stage: pre, ${fields} }\n`;
const flag = 'then: { action: flag }';
const when = (condition: string, extra = ''): string => rule(`when: ${condition}, ${flag}`, extra);

describe('a compiled policy', () => {
  it('has leaves in the form of the rules engine, with references to lists and the names of conditions', () => {
    const policy = policyOf(
      oneRule(
        '{ all: [ { model.name: { in: $lists.models } }, { use: risky }, { not: { metadata.team: ops } }, { pii.counts.EMAIL: { lt: 3 } } ] }',
        {
          more: 'lists: { models: [a, b] }\nconditions: { risky: { any: [ { pii.score: { gte: 0.8 } }, { context.sources: { any_of: [web] } } ] } }\n',
        },
      ).replace('on_unknown: match', 'on_unknown: match\n    client_controlled: accepted\n    because: only ops may'),
    );
    expect(policy.stages.pre.asWritten).toEqual([
      {
        name: 't',
        priority: 1,
        conditions: {
          all: [
            {
              name: 't#1',
              fact: 'model',
              path: 'name',
              operator: 'closed:absent_ok:in',
              value: { fact: '$lists', path: 'models' },
            },
            {
              name: 'risky',
              any: [
                { name: 't#2', fact: 'pii', path: 'score', operator: 'closed:gte', value: 0.8 },
                { name: 't#3', fact: 'context', path: 'sources', operator: 'closed:absent_ok:any_of', value: ['web'] },
              ],
            },
            { name: 't#4', fact: 'metadata', path: 'team', operator: 'closed:absent_ok:ne', value: 'ops' },
            { name: 't#5', fact: 'pii', path: 'counts.EMAIL', operator: 'closed:absent_zero:lt', value: 3 },
          ],
        },
        event: { type: 'matched', params: { id: 't' } },
      },
    ]);
    expect(JSON.stringify(policy.stages.pre.certain)).toContain('known:gte');
    expect(policy.stages.post).toEqual({ asWritten: [], certain: [], exceptions: [] });
  });

  it('is the same if the leaves are written in the form of the rules engine', () => {
    const raw = policyOf(
      oneRule(
        '{ all: [ { fact: pii, path: $.count, operator: greaterThan, value: 0 }, { fact: provider, operator: notIn, value: [a] }, { fact: pii, path: types, operator: doesNotContain, value: EMAIL } ] }',
      ),
    );
    const own = policyOf(
      oneRule(
        '{ all: [ { pii.count: { gt: 0 } }, { provider: { not_in: [a] } }, { not: { pii.types: { contains: EMAIL } } } ] }',
      ),
    );
    expect(raw.stages).toEqual(own.stages);
  });

  it('has the same canonical form whatever the order of files, rules and keys', () => {
    const shared = `apiVersion: weir/v1\nkind: Policy\nmetadata: { id: other, owner: o }\nrules:\n`;
    const [r1, r2] = ['a', 'b'].map(
      (id) => `  - { id: ${id}, stage: pre, when: { model.name: x }, then: { action: flag } }\n`,
    );
    const one = must(compileFiles({ 'production/a.yaml': head(), 'production/b.yaml': `${shared}${r1}${r2}` }));
    const two = must(
      compileFiles({ 'production/z.yaml': head(), 'production/0.yaml': `# a comment\n${shared}${r2}${r1}` }),
    );
    expect(two.canonical).toBe(one.canonical);
    expect(one.rules.map(({ id, policy }) => [id, policy])).toEqual([
      ['a', 'other'],
      ['b', 'other'],
    ]);
    expect(one.id).toBe('sample');
    expect(must(compileText(head().replace('default: allow', 'default: block'))).canonical).not.toBe(one.canonical);
  });

  it('has safe defaults, and contains every setting', () => {
    expect(policyOf(head())).toMatchObject({
      default: 'allow',
      monitor: false,
      clientMonitorMode: 'ignore',
      content: 'redacted',
      media: 'pass',
      unread: { governed: 'refuse', other: 'flag' },
      unmaskable: { documents: 'refuse', signed: 'refuse' },
      onDisconnect: 'abort',
      deadlineMs: { pre: 250, post: 400, tool: 150 },
    });
    const full = `mode: monitor
client_monitor_mode: honor
content: none
media: flag
unread: { other: refuse }
unmaskable: { signed: flag }
default_max_tokens: 4096
on_disconnect: drain
on_blocked_history: refuse
defaults: { on_unknown: match }
stages: { pre: { deadline_ms: 100 }, tool: { deadline_ms: 50 } }
detectors: { pii: { plugin: pii@^1.2, min_score: 0.8, locales: [de], timeout_ms: 70, codes: { add: [PASSPORT], remove: [PHONE] } } }
budgets:
  - { id: team-day, scope: [app, metadata.team], window: { per: day, timezone: Europe/Berlin }, limit: { usd: 0.1 }, warn_at: [0.9, 0.5], on_exceed: block }
  - { id: month, scope: [], window: { per: month }, limit: { tokens: 5 } }
rules:
  - { id: a, stage: pre, when: { model.name: x }, then: { action: block }, formerly: [old], tags: [owasp-llm01], review_by: 2027-01-01, rollout: { percent: 12.5, by: api_key }, message: No. }
`;
    const policy = policyOf(head(full));
    expect(policy).toMatchObject({
      monitor: true,
      clientMonitorMode: 'honor',
      content: 'none',
      media: 'flag',
      unread: { governed: 'refuse', other: 'refuse' },
      unmaskable: { documents: 'refuse', signed: 'flag' },
      defaultMaxTokens: 4096,
      onDisconnect: 'drain',
      deadlineMs: { pre: 100, post: 400, tool: 50 },
      budgets: [
        {
          id: 'month',
          limit: { unit: 'tokens', tokens: 5 },
          window: { per: 'month', timezone: 'UTC' },
          onExceed: 'record',
          warnAt: [],
        },
        {
          id: 'team-day',
          limit: { unit: 'usd', nanoUsd: '100000000' },
          scope: ['app', 'metadata.team'],
          warnAt: [0.5, 0.9],
          onExceed: 'block',
        },
      ],
      rules: [
        {
          id: 'a',
          onUnknown: 'match',
          formerly: ['old'],
          tags: ['owasp-llm01'],
          reviewBy: '2027-01-01',
          rolloutPercent: 12.5,
          message: 'No.',
          severity: 'medium',
        },
      ],
    });
    const [pii] = policy.detectors;
    expect(pii).toMatchObject({
      key: 'pii',
      plugin: 'pii',
      version: '1.4.0',
      revision: 3,
      options: { locales: ['de'] },
      timeoutMs: 70,
    });
    expect(pii!.codes).toEqual(['EMAIL', 'IBAN', 'PASSPORT', 'TOKEN', 'US_SSN']);
    expect(pii!.minScore['EMAIL']).toBe(0.8);
  });

  it('finds entities by code, or by detector and code if two detectors declare the code', () => {
    const text = rule(
      'when: { model.name: x }, on_unknown: match, then: { action: redact, redact: { entities: [EMAIL, secrets/TOKEN], with: "***", label: masked } }',
    );
    const [compiled] = policyOf(text).rules;
    expect(compiled!.redact).toEqual({
      targets: [
        { detector: 'pii', code: 'EMAIL' },
        { detector: 'secrets', code: 'TOKEN' },
      ],
      with: '***',
      label: 'masked',
    });
    expect(compiled).toMatchObject({
      category: 'personal_data',
      evidence: [
        { detector: 'pii', codes: ['EMAIL'] },
        { detector: 'secrets', codes: ['TOKEN'] },
      ],
    });
  });

  it.each([
    ['{ pii.types: { any_of: [PHONE, EMAIL] } }', 'personal_data', [{ detector: 'pii', codes: ['EMAIL', 'PHONE'] }]],
    ['{ secrets.count: { gt: 0 } }', 'secret', [{ detector: 'secrets', codes: 'all' }]],
    ['{ pii.counts.EMAIL: { gte: 3 } }', 'personal_data', [{ detector: 'pii', codes: ['EMAIL'] }]],
    [
      '{ all: [ { prompt_injection.score: { gte: 0.6 } }, { prompt_injection.score: { lt: 0.9 } } ] }',
      'prompt_injection',
      [{ detector: 'prompt_injection', codes: 'all' }],
    ],
    ['{ not: { pii.types: { any_of: [EMAIL] } } }', 'personal_data', []],
    ['{ not: { pii.count: { lte: 0 } } }', 'personal_data', []],
    ['{ model.name: x }', 'policy', []],
  ])('contains category and evidence of %s', (condition, category, evidence) => {
    expect(policyOf(when(condition)).rules[0]).toMatchObject({ category, evidence });
  });

  it('contains the condition of an exception only at the stages of its rules, and reads unknown facts in it as false', () => {
    const text = `${when('{ model.name: x }')}exceptions:
  - { id: EX-1, rules: [t], when: { app.name: hr }, because: b, approved_by: a, ticket: t, expires: 2026-12-31T00:00:00Z }
  - { id: EX-2, rules: [t], because: b, approved_by: a, ticket: t, expires: 2026-12-31T00:00:00+02:00, effect: skip }
`;
    const policy = policyOf(text);
    expect(policy.stages.pre.exceptions).toMatchObject([
      {
        name: 'exception:EX-1',
        conditions: { all: [{ fact: 'app', path: 'name', operator: 'open:eq', value: 'hr' }] },
      },
    ]);
    expect(policy.stages.post.exceptions).toEqual([]);
    expect(policy.exceptions).toEqual([
      {
        id: 'EX-1',
        rules: ['t'],
        effect: 'monitor',
        conditional: true,
        because: 'b',
        approvedBy: 'a',
        ticket: 't',
        expiresAtMs: Date.UTC(2026, 11, 31),
      },
      {
        id: 'EX-2',
        rules: ['t'],
        effect: 'skip',
        conditional: false,
        because: 'b',
        approvedBy: 'a',
        ticket: 't',
        expiresAtMs: Date.UTC(2026, 11, 30, 22),
      },
    ]);
  });

  it('is deeply frozen', () => {
    const policy = policyOf(oneRule('{ model.name: { in: $lists.a } }', { more: 'lists: { a: [x] }\n' }));
    expect(() => (policy.lists['a'] as string[]).push('y')).toThrow(TypeError);
    expect(() => ((policy.rules[0] as { monitor: boolean }).monitor = true)).toThrow(TypeError);
  });
});
