import { Unknown, type FactSet, type FactValue } from '../model/fact.js';
import { DETECTORS, head, oneRule, policyOf } from '../policy/testdata/sample-policy.js';
import { evaluate } from './evaluate.js';
import { FACTS, LATTICE, NOW_MS, found, judge, names } from './testdata/judge.js';

describe('evaluate', () => {
  it('allows calls that no rule matches, and evaluates only rules of the given stage', async () => {
    const decision = await judge(LATTICE);
    expect(decision).toMatchObject({ action: 'allow', unavailable: false, fired: [], redact: [], exceptions: [] });
    expect(decision.reason).toBeUndefined();
    expect(Object.keys(decision.leaves).sort()).toEqual(['a.flag#1', 'b.redact#1', 'c.block#1', 'd.block#1']);
    expect((await judge(LATTICE, {}, { stage: 'post' })).fired).toHaveLength(1);
    expect((await judge(LATTICE, {}, { stage: 'tool' })).action).toBe('allow');
  });

  it('chooses the strongest action regardless of severity, and reports every rule ordered by severity and id', async () => {
    expect((await judge(LATTICE, { pii: found('PHONE') })).action).toBe('allow');
    const redact = await judge(LATTICE, { pii: found('EMAIL') });
    expect(redact.action).toBe('redact');
    expect(redact.redact).toEqual([
      { targets: [{ detector: 'pii', code: 'EMAIL' }], with: '[{type}_{n}]', label: 'contains_pii' },
    ]);
    const block = await judge(LATTICE, { pii: found('EMAIL', 'US_SSN'), secrets: found('TOKEN') });
    expect(block).toMatchObject({
      action: 'block',
      reason: 'content_policy_violation',
      unavailable: false,
      missing: [],
    });
    expect(names(block)).toEqual(['a.flag', 'd.block', 'c.block', 'b.redact']);
    expect(block.fired[2]).toEqual({
      rule: 'c.block',
      policy: 'sample',
      stage: 'pre',
      severity: 'medium',
      category: 'personal_data',
      action: 'block',
      enforced: true,
      message: 'c.block',
      reason: 'content_policy_violation',
      detail: 'government-id',
      unavailable: false,
      missing: [],
      evidence: [{ detector: 'pii', codes: ['US_SSN'] }],
    });
  });

  it('records every leaf without short-circuit: true, false, or null for unknown', async () => {
    const decision = await judge(
      oneRule('{ any: [ { model.name: gpt-4o }, { pii.count: { gt: 0 } }, { secrets.count: { gt: 0 } } ] }'),
      { secrets: new Unknown('timeout', 'secrets') },
    );
    expect(decision.leaves).toEqual({ 't#1': true, 't#2': false, 't#3': null });
  });

  it('reports rules in the same order regardless of their order in the policy', async () => {
    const rules = ['z', 'm', 'a'].map(
      (id) => `  - { id: ${id}, stage: pre, when: { model.name: gpt-4o }, then: { action: flag } }`,
    );
    expect(names(await judge(`${head()}rules:\n${rules.join('\n')}\n`))).toEqual(['a', 'm', 'z']);
  });
});

describe('evaluate with unknown facts', () => {
  const down = { pii: new Unknown('timeout', 'pii') };

  it('refuses as unavailable and names the missing facts if on_unknown is match, and allows if it is no_match', async () => {
    const closed = await judge(oneRule('{ pii.count: { gt: 0 } }'), down);
    expect(closed).toMatchObject({ action: 'block', unavailable: true, missing: ['pii'] });
    expect(closed.fired[0]).toMatchObject({ rule: 't', unavailable: true, missing: ['pii'], enforced: true });
    expect(await judge(oneRule('{ pii.count: { gt: 0 } }', { onUnknown: 'no_match' }), down)).toMatchObject({
      action: 'allow',
      unavailable: false,
      fired: [],
    });
  });

  it('follows on_unknown in the same way if the condition on the unknown fact is negated', async () => {
    expect(await judge(oneRule('{ not: { pii.count: { gt: 0 } } }'), down)).toMatchObject({
      action: 'block',
      unavailable: true,
    });
    expect((await judge(oneRule('{ not: { pii.count: { gt: 0 } } }', { onUnknown: 'no_match' }), down)).action).toBe(
      'allow',
    );
  });

  it('reports a violation, not an outage, as soon as one blocking rule matches for certain', async () => {
    const decision = await judge(LATTICE, { ...down, secrets: found('TOKEN') });
    expect(decision).toMatchObject({ action: 'block', unavailable: false, missing: ['pii'] });
    expect(decision.fired.find(({ rule }) => rule === 'c.block')).toMatchObject({ unavailable: true });
    expect(decision.fired.find(({ rule }) => rule === 'd.block')).toMatchObject({ unavailable: false, missing: [] });
  });

  it('reports a violation if a rule certainly matches, even if a more severe rule depends on a missing fact', async () => {
    const decision = await judge(LATTICE, { pii: found('US_SSN'), secrets: new Unknown('timeout', 'secrets') });
    expect(names(decision)).toEqual(['a.flag', 'd.block', 'c.block']);
    expect(decision).toMatchObject({ action: 'block', unavailable: false, missing: ['secrets'] });
  });

  it('reports no outage when the rule matches without the missing fact', async () => {
    const decision = await judge(oneRule('{ any: [ { model.name: gpt-4o }, { pii.count: { gt: 0 } } ] }'), down);
    expect(decision).toMatchObject({ action: 'block', unavailable: false, missing: [] });
  });

  it('treats an absent required fact as unknown', async () => {
    const { pii: _gone, ...rest } = FACTS;
    const policy = policyOf(oneRule('{ pii.count: { gt: 0 } }'));
    const broken: FactSet[] = [
      rest,
      { ...rest, pii: null },
      { ...rest, pii: 7 },
      { ...rest, pii: {} },
      { ...rest, pii: { count: null } },
    ];
    for (const facts of broken) {
      const decision = await evaluate(policy, { stage: 'pre', nowMs: NOW_MS, clientMonitor: false, facts });
      expect(decision).toMatchObject({ action: 'block', unavailable: true, missing: ['pii'] });
    }
  });

  it('treats an optional fact that is absent as a definite null', async () => {
    const text = oneRule('{ not: { model.name: { in: [gpt-4o] } } }');
    expect(await judge(text, { model: { name: null } })).toMatchObject({ action: 'block', unavailable: false });
    expect(await judge(text, { model: {} })).toMatchObject({ action: 'block', unavailable: false });
    expect((await judge(oneRule('{ model.name: gpt-4 }'), { model: {} })).action).toBe('allow');
  });

  it('follows on_unknown, but reports a violation, if a value has a type that cannot be compared', async () => {
    const facts = { metadata: { risk: { level: 9 } } };
    const closed = await judge(oneRule('{ metadata.risk: { gt: 5 } }'), facts);
    expect(closed).toMatchObject({ action: 'block', unavailable: false, missing: [], leaves: { 't#1': null } });
    expect((await judge(oneRule('{ metadata.risk: { gt: 5 } }', { onUnknown: 'no_match' }), facts)).action).toBe(
      'allow',
    );
  });

  const REDACT = `${head()}${DETECTORS}
rules:
  - id: t
    stage: pre
    when: { any: [ { model.name: gpt-4o }, { pii.count: { gt: 0 } } ] }
    then: { action: redact, redact: { entities: [EMAIL] } }
    on_unknown: ON_UNKNOWN
`;

  it('refuses when a redact rule matches but its findings are missing: unscanned text cannot be masked', async () => {
    expect(await judge(REDACT.replace('ON_UNKNOWN', 'match'), down)).toMatchObject({
      action: 'block',
      unavailable: true,
      missing: ['pii'],
      redact: [],
    });
    expect((await judge(REDACT.replace('ON_UNKNOWN', 'no_match'), down)).action).toBe('redact');
  });

  it('redacts the known findings of a rule although another fact of the rule is missing', async () => {
    const text = REDACT.replace('ON_UNKNOWN', 'match').replace('model.name: gpt-4o', 'secrets.count: { gt: 0 }');
    const decision = await judge(text, { secrets: new Unknown('failed', 'secrets') });
    expect(decision).toMatchObject({ action: 'redact', unavailable: false });
    expect(decision.fired[0]).toMatchObject({ unavailable: true, missing: ['secrets'] });
  });

  it('reports an unavailable budget as missing', async () => {
    const budget = 'budgets:\n  - { id: team, scope: [app], window: { per: day }, limit: { usd: 1 } }\n';
    const text = oneRule('{ budgets.team.used_ratio: { gte: 0.8 } }', { more: budget });
    expect(
      await judge(text, { budgets: { team: { used_ratio: new Unknown('unavailable', 'budget') } } }),
    ).toMatchObject({
      unavailable: true,
      missing: ['budget'],
    });
    expect((await judge(text)).missing).toEqual(['budget']);
    expect((await judge(text, { budgets: { team: { used_ratio: 0.79 } } })).action).toBe('allow');
    expect((await judge(text, { budgets: { team: { used_ratio: 0.8 } } })).action).toBe('block');
  });
});

describe('A condition on the number of findings of one code', () => {
  const CASES = [
    ['{ exists: true }', true, false],
    ['{ exists: false }', false, true],
    ['{ gt: 0 }', true, false],
    ['{ lt: 1 }', false, true],
  ] as const;

  it.each(CASES)('%s matches with a finding: %s, without one: %s', async (condition, withOne, without) => {
    for (const [when, isNegated] of [
      [`{ pii.counts.US_SSN: ${condition} }`, false],
      [`{ not: { pii.counts.US_SSN: ${condition} } }`, true],
    ] as const) {
      const action = (matches: boolean): string => (matches === isNegated ? 'allow' : 'block');
      expect((await judge(oneRule(when), { pii: found('US_SSN') })).action).toBe(action(withOne));
      expect((await judge(oneRule(when), { pii: found('EMAIL') })).action).toBe(action(without));
      expect((await judge(oneRule(when))).action).toBe(action(without));
    }
  });

  it.each(CASES)('%s is unknown while the detector is unavailable', async (condition) => {
    const decision = await judge(oneRule(`{ pii.counts.US_SSN: ${condition} }`), { pii: new Unknown('failed', 'pii') });
    expect(decision).toMatchObject({ action: 'block', unavailable: true, missing: ['pii'] });
  });
});

describe('A condition on metadata with a dot in its name', () => {
  it.each<[string, FactValue]>([
    ['nested keys', { user: { id: 42 } }],
    ['one key that contains the dot', { 'user.id': 42 }],
  ])('matches %s', async (_what, metadata) => {
    expect((await judge(oneRule('{ metadata.user.id: 42 }'), { metadata })).action).toBe('block');
    expect((await judge(oneRule('{ metadata.user.id: 43 }'), { metadata })).action).toBe('allow');
    const limit = oneRule('{ request.max_tokens: { gt: { fact: metadata.user.id } } }').replace(
      '    then:',
      '    client_controlled: accepted\n    because: The gateway sets it\n    then:',
    );
    expect((await judge(limit, { metadata, request: { max_tokens: 43, stream: false } })).action).toBe('block');
    expect((await judge(limit, { metadata, request: { max_tokens: 42, stream: false } })).action).toBe('allow');
  });
});

describe('evaluate for tool calls', () => {
  const call = (name: string, to: unknown) =>
    ({ tool: { name, args: { to } }, tool_calls: [{ name, args: { to } }] }) as FactSet;
  const when =
    '{ all: [ { tool.name: { in: [send_email] } }, { not: { tool.args.to: { email_domain_in: [acme.example] } } } ] }';

  it('blocks a tool call with the reason for the stage tool', async () => {
    const decision = await judge(oneRule(when, { stage: 'tool' }), call('send_email', 'eve@evil.example'), {
      stage: 'tool',
    });
    expect(decision).toMatchObject({ action: 'block', reason: 'tool_use_blocked', unavailable: false });
    expect(decision.fired[0]!.category).toBe('tool_use');
    expect(
      (await judge(oneRule(when, { stage: 'tool' }), call('send_email', 'bob@acme.example'), { stage: 'tool' })).action,
    ).toBe('allow');
  });

  it('blocks an address that is external, missing or not text, even next to an internal address', async () => {
    for (const to of [
      ['bob@acme.example', 'eve@evil.example'],
      'bob@acme.example;eve@evil.example',
      { x: 1 },
      undefined,
      null,
    ]) {
      const facts = call('send_email', to ?? null);
      expect((await judge(oneRule(when, { stage: 'tool' }), facts, { stage: 'tool' })).action).toBe('block');
    }
  });

  it('evaluates the operator some on tool calls, and the operator flow on the conversation', async () => {
    const some =
      '{ tool_calls: { some: { all: [ { name: send_email }, { not: { args.to: { email_domain_in: [acme.example] } } } ] } } }';
    expect(
      (await judge(oneRule(some, { stage: 'tool' }), call('send_email', 'eve@evil.example'), { stage: 'tool' })).action,
    ).toBe('block');
    expect(
      (await judge(oneRule(some, { stage: 'tool' }), call('search', 'eve@evil.example'), { stage: 'tool' })).action,
    ).toBe('allow');
    const flow =
      '{ flow: { from: { tool_result: { name: get_website } }, to: { tool_call: { name: { in: [send_email] } } } } }';
    const events = [{ kind: 'tool_result', name: 'get_website' }];
    const facts: FactSet = { flow: { events, current: { name: 'send_email' } } };
    expect((await judge(oneRule(flow, { stage: 'tool' }), facts, { stage: 'tool' })).action).toBe('block');
    expect(
      await judge(
        oneRule(flow, { stage: 'tool' }),
        { flow: new Unknown('unavailable', 'tool-use') },
        { stage: 'tool' },
      ),
    ).toMatchObject({
      unavailable: true,
      missing: ['tool-use'],
    });
  });
});
