import fc from 'fast-check';
import { FACTS, NOW_MS } from '../../core/decision/testdata/judge.js';
import { answerKey } from '../../core/decision/answer-key.js';
import { evaluate } from '../../core/decision/evaluate.js';
import { parseOperatorName } from '../../core/decision/policy-runtime.js';
import { Unknown, type FactSet } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { engineLeaves, type EngineLeaf } from '../../core/policy/engine-rules.js';
import { policyOf as compiled } from '../../core/policy/testdata/sample-policy.js';
import { maskedKinds } from '../../core/stored/masked-kinds.js';
import { backtest, policyText, recorded, type Call, type RuleText } from './testdata/records.js';
import { wilson } from './wilson.js';

const policyOf = (text: string): CompiledPolicy => compiled(text, 'staging');

const CONDITIONS: Readonly<Record<'pre' | 'tool', readonly string[]>> = {
  pre: [
    '{ pii.types: { any_of: [EMAIL] } }',
    '{ pii.count: { gte: 2 } }',
    '{ not: { pii.types: { any_of: [PHONE] } } }',
    '{ metadata.team: { eq: search } }',
    '{ not: { metadata.team: { in: [ads, search] } } }',
    '{ metadata.level: { gt: 3 } }',
    '{ metadata.level: { gt: { fact: request.max_tokens } } }',
    '{ request.max_tokens: { lte: { fact: metadata.level } } }',
    '{ not: { metadata.team: { eq: { fact: metadata.level } } } }',
    '{ context.sources: { any_of: [web] } }',
    '{ history.tool_calls: { some: { all: [{ name: { eq: run } }] } } }',
    '{ history.tool_calls: { none: { all: [{ name: { eq: run } }] } } }',
  ],
  tool: [
    '{ secrets.count: { gt: 0 } }',
    '{ tool.name: { in: [run, send] } }',
    '{ tool.args.to: { email_domain_in: [acme.example] } }',
    '{ not: { tool.args.to: { email_domain_in: [acme.example] } } }',
    '{ tool.args.path: { starts_with: /etc } }',
    '{ tool.args.to: { eq: { fact: metadata.team } } }',
    '{ tool.name: { ne: { fact: tool.args.to } } }',
    '{ tool_calls: { some: { all: [{ name: { eq: send } }, { args.to: { eq: a@b.example } }] } } }',
    '{ metadata.team: { eq: search } }',
  ],
};
const THENS = [
  '{ action: block, reason: content_policy_violation }',
  '{ action: flag }',
  '{ action: redact, redact: { entities: [EMAIL], with: "[{type}]" } }',
  '{ action: redact, redact: { entities: [EMAIL, PHONE], with: "[{type}]" } }',
];

const ruleText = (stage: 'pre' | 'tool'): fc.Arbitrary<RuleText> =>
  fc.record({
    when: fc.oneof(
      fc.constantFrom(...CONDITIONS[stage]),
      fc
        .tuple(
          fc.constantFrom('all', 'any'),
          fc.array(fc.constantFrom(...CONDITIONS[stage]), { minLength: 1, maxLength: 3 }),
        )
        .map(([group, items]) => `{ ${group}: [${items.join(', ')}] }`),
    ),
    then: fc.constantFrom(...(stage === 'pre' ? THENS : THENS.slice(0, 2))),
    onUnknown: fc.constantFrom('match', 'no_match'),
  });
const policy = (stage: 'pre' | 'tool'): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.array(ruleText(stage), { minLength: 1, maxLength: 3 }),
      fc.option(fc.constantFrom(...CONDITIONS[stage]), { nil: undefined, freq: 4 }),
    )
    .map(([rules, exception]) => policyText(stage, rules, exception));

const findings = fc.oneof(
  fc.constant(new Unknown('timeout', 'pii')),
  fc.subarray(['EMAIL', 'PHONE']).map((types) => ({
    types,
    count: types.length,
    score: types.length > 0 ? 1 : 0,
    counts: Object.fromEntries(types.map((type) => [type, 1])),
  })),
);
const team = fc.constantFrom('search', 'ads', 'hr');

/** Facts with the metadata as it would be logged: `[NAME]` replaces a masked value. */
const call = (stage: 'pre' | 'tool'): fc.Arbitrary<Call> =>
  fc
    .record({
      pii: findings,
      secrets: findings,
      team: fc.option(team, { nil: undefined }),
      masked: fc.boolean(),
      level: fc.option(fc.constantFrom(1, 5, '7', [1]), { nil: undefined }),
      sources: fc.option(fc.subarray(['web', 'mail']), { nil: undefined }),
      to: fc.option(fc.constantFrom('a@b.example', 'x@acme.example', 'nobody', 7), { nil: undefined }),
      path: fc.option(fc.constantFrom('/etc/passwd', '/tmp'), { nil: undefined }),
      name: fc.constantFrom('run', 'send', 'read'),
      clientMonitor: fc.boolean(),
    })
    .map(({ pii, secrets, team: name, masked, level, sources, to, path, name: tool, clientMonitor }) => {
      const metadata = JSON.parse(JSON.stringify({ team: name, level, sources })) as Record<string, unknown>;
      const args = JSON.parse(JSON.stringify({ to, path })) as Record<string, never>;
      const past = [{ name: tool, args }];
      return {
        stage,
        clientMonitor,
        metadata: masked && name !== undefined ? { ...metadata, team: '[NAME]' } : metadata,
        facts: {
          ...FACTS,
          pii,
          secrets,
          metadata: metadata as never,
          context: { sources: sources ?? null },
          history: { tool_calls: past, tool_results: [] },
          ...(stage === 'tool' ? { tool: { name: tool, args, args_valid: true }, tool_calls: past } : {}),
        } as FactSet,
      };
    });

describe('Judging recorded decisions again', () => {
  it.each(['pre', 'tool'] as const)(
    'always reproduces the decisions with the policy that made them (stage %s)',
    async (stage) => {
      await fc.assert(
        fc.asyncProperty(policy(stage), call(stage), async (text, one) => {
          const deployed = policyOf(text);
          const { event } = await recorded(deployed, one);
          const report = await backtest(deployed, [event]);
          expect(report.own).toEqual({ decisions: 1, notReproduced: 0, cannotTell: 0 });
          expect(report.unchanged).toBe(1);
        }),
        { numRuns: 300 },
      );
    },
  );

  it.each(['pre', 'tool'] as const)(
    'agrees with the live judgement by another policy, or reports that it cannot tell the decision (stage %s)',
    async (stage) => {
      let compared = 0;
      await fc.assert(
        fc.asyncProperty(policy(stage), policy(stage), call(stage), async (before, after, one) => {
          const candidate = policyOf(after);
          const { event, decision } = await recorded(policyOf(before), one);
          const truth = await evaluate(candidate, {
            stage,
            nowMs: NOW_MS,
            facts: one.facts,
            clientMonitor: one.clientMonitor === true,
          });
          const report = await backtest(candidate, [event]);
          const name = ({ action, unavailable }: typeof truth) =>
            unavailable && action === 'block' ? 'unavailable' : action;
          const rules = ({ fired }: typeof truth) =>
            JSON.stringify(
              fired.map((rule) => [rule.rule, rule.action, rule.enforced, rule.unavailable, rule.exception]),
            );
          if (report.cannotTell.count === 1) return;
          compared++;
          const flips = report.flips.map(({ from, to }) => [from, to]);
          const masks = maskedKinds(truth, one.facts);
          const isUnmasked =
            name(truth) === 'redact' &&
            name(decision) === 'redact' &&
            maskedKinds(decision, one.facts).some((kind) => !masks.includes(kind));
          const isSame = name(truth) === name(decision) && !isUnmasked;
          expect(flips).toEqual(isSame ? [] : [[name(decision), name(truth)]]);
          expect(report.unchanged).toBe(isSame && rules(truth) === rules(decision) ? 1 : 0);
        }),
        { numRuns: 400 },
      );
      // Without this check, a backtest that never knows a decision would pass.
      expect(compared).toBeGreaterThan(100);
    },
  );
});

describe('Conditions about the time', () => {
  const when = (zone: string): string =>
    policyText('pre', [{ when: `{ clock.hour.${zone}: { lt: 7 } }`, then: THENS[0]!, onUnknown: 'match' }]);

  it('are evaluated at the time of the call, in the time zone that the policy names', async () => {
    const call: Call = { stage: 'pre', facts: FACTS, metadata: {} };
    for (const zone of ['UTC', 'Europe/Berlin', 'Pacific/Auckland', 'America/Los_Angeles', 'Asia/Kolkata']) {
      const truth = await evaluate(policyOf(when(zone)), { ...call, nowMs: NOW_MS, clientMonitor: false });
      const { event, decision } = await recorded(policyOf(when('UTC')), call);
      const { flips, cannotTell } = await backtest(policyOf(when(zone)), [event]);
      expect(cannotTell.count).toBe(0);
      expect(flips.map(({ to }) => to)).toEqual(truth.action === decision.action ? [] : [truth.action]);
    }
  });
});

describe('Decisions that a backtest cannot determine', () => {
  const when = (condition: string, then = THENS[0]!): string =>
    policyText('pre', [{ when: condition, then, onUnknown: 'match' }]);
  const clean: Call = { stage: 'pre', facts: FACTS, metadata: {} };

  it('are counted as unknown if the options of a detector changed, even if the rules are the same', async () => {
    const condition = '{ pii.types: { any_of: [EMAIL] } }';
    const { event } = await recorded(policyOf(when(condition)), clean);
    const stricter = when(condition).replace('{ plugin: pii@^1 }', '{ plugin: pii@^1, min_score: 0.9 }');
    const report = await backtest(policyOf(stricter), [event]);
    expect(report).toMatchObject({
      decisions: 1,
      unchanged: 0,
      cannotTell: { count: 1, because: [{ fact: 'pii.types', count: 1 }] },
    });
  });

  it('are counted as unknown if the revision of the reader of tool calls changed and a rule reads tool calls', async () => {
    const text = (condition: string): string =>
      policyText('tool', [{ when: condition, then: THENS[0]!, onUnknown: 'match' }]);
    const call: Call = { stage: 'tool', facts: { ...FACTS, tool: { name: 'run', args: {} } }, metadata: {} };
    const candidate = policyOf(text('{ tool.name: { in: [run, send] } }'));
    expect(candidate.readers.filter(({ isRead }) => isRead)).toHaveLength(1);
    const { event } = await recorded(candidate, call);
    expect(await backtest(candidate, [event])).toMatchObject({ unchanged: 1, cannotTell: { count: 0 } });
    const newer = (policy: CompiledPolicy): CompiledPolicy => ({
      ...policy,
      readers: policy.readers.map((one) => ({ ...one, revision: one.revision + 1 })),
    });
    expect(await backtest(newer(candidate), [event])).toMatchObject({
      unchanged: 0,
      cannotTell: { count: 1, because: [{ fact: 'tool.name', count: 1 }] },
    });
    const unread = policyOf(text('{ secrets.count: { gt: 99 } }'));
    expect((await backtest(newer(unread), [event])).cannotTell.count).toBe(0);
  });

  describe('with a list that a condition names inside some, none or flow', () => {
    const send = { name: 'send', args: { to: 'x@evil.example' }, index: 0 };
    const flow = { events: [{ kind: 'tool_result', name: 'fetch', index: 0 }], current: { name: 'send' } };
    const facts = { ...FACTS, tool: send, tool_calls: [send], history: { tool_calls: [send], tool_results: [] }, flow };
    const call: Call = { stage: 'tool', facts: facts as FactSet, metadata: {} };
    const under = (condition: string, entries: string): CompiledPolicy =>
      policyOf(
        policyText('tool', [{ when: condition, then: THENS[0]!, onUnknown: 'match' }]).replace(
          'rules:',
          `lists: { named: [${entries}] }\nrules:`,
        ),
      );
    const cases = [
      ['tool_calls', '{ tool_calls: { some: { not: { args.to: { email_domain_in: $lists.named } } } } }'],
      ['history.tool_calls', '{ history.tool_calls: { none: { name: { in: $lists.named } } } }'],
      [
        'flow',
        '{ flow: { from: { tool_result: { name: fetch } }, to: { tool_call: { name: { in: $lists.named } } } } }',
      ],
    ] as const;

    it.each(cases)(
      'are known if the entries are the same, and unknown if another one was added: %s',
      async (fact, when) => {
        const { event } = await recorded(under(when, 'acme.example'), call);
        expect(await backtest(under(when, 'acme.example'), [event])).toMatchObject({ unchanged: 1 });
        expect(
          await backtest(under(when.replace('$lists.named', '[acme.example]'), 'b.example'), [event]),
        ).toMatchObject({
          unchanged: 1,
        });
        expect(await backtest(under(when, 'acme.example, evil.example, send'), [event])).toMatchObject({
          unchanged: 0,
          cannotTell: { count: 1, because: [{ fact, count: 1 }] },
        });
      },
    );

    it.each(cases)('are unknown in records that name the list without its entries: %s', async (fact, when) => {
      const policy = under(when, 'acme.example');
      const { event } = await recorded(policy, call);
      const [{ operator, value }] = engineLeaves(policy.stages.tool.asWritten[0]!.conditions) as [EngineLeaf];
      const { absence, op } = parseOperatorName(operator);
      const { stages } = event.facts as { stages: { answers: Record<string, string> }[] };
      const [stage] = stages;
      stage!.answers = { [answerKey(fact, absence, op, value)]: Object.values(stage!.answers)[0]! };
      expect(await backtest(under(when, 'acme.example'), [event])).toMatchObject({
        unchanged: 0,
        cannotTell: { count: 1, because: [{ fact, count: 1 }] },
      });
    });
  });

  it('include records of an earlier format, but not events without a record', async () => {
    const candidate = policyOf(when('{ pii.count: { gt: 0 } }'));
    const { event } = await recorded(candidate, clean);
    const report = await backtest(candidate, [{ ...event, facts: { v: 1, stages: [] } }, { ...event, facts: null }, 7]);
    expect(report).toMatchObject({ decisions: 1, cannotTell: { count: 1 }, skipped: 1, broken: 1 });
  });

  it('do not include decisions that are the same for every value of the unknown fact', async () => {
    const candidate = policyOf(when('{ all: [{ pii.count: { gt: 0 } }, { metadata.team: { eq: ads } }] }'));
    const masked = { ...clean, metadata: { team: '[NAME]' }, facts: { ...FACTS, metadata: { team: 'bob' } } };
    const { event } = await recorded(policyOf(when('{ secrets.count: { gt: 0 } }')), masked);
    expect(await backtest(candidate, [event])).toMatchObject({ decisions: 1, unchanged: 1, cannotTell: { count: 0 } });
  });
});

describe('The report of a backtest', () => {
  it('counts changes by rule, app and key, and lists examples', async () => {
    const before = policyOf(
      policyText('pre', [{ when: '{ pii.count: { gt: 5 } }', then: THENS[0]!, onUnknown: 'match' }]),
    );
    const after = policyOf(
      policyText('pre', [{ when: '{ pii.count: { gt: 0 } }', then: THENS[0]!, onUnknown: 'match' }]),
    );
    const dirty = { types: ['EMAIL'], count: 1, score: 1, counts: { EMAIL: 1 } };
    const events = await Promise.all(
      [...Array(10).keys()].map(async (index) => {
        const one: Call = { stage: 'pre', facts: { ...FACTS, ...(index < 3 ? { pii: dirty } : {}) }, metadata: {} };
        return (await recorded(before, one)).event;
      }),
    );
    const report = await backtest(after, events);
    expect(report).toMatchObject({
      decisions: 10,
      unchanged: 7,
      flips: [{ from: 'allow', to: 'block', count: 3, share: 0.3 }],
      newBlocks: { count: 3 },
      newAllows: { count: 0 },
      byRule: [{ name: 'r0', count: 3 }],
      byApp: [{ name: 'web', count: 3 }],
      byKey: [{ name: 'k1', count: 3 }],
      own: { decisions: 0 },
    });
    expect(report.examples).toHaveLength(3);
    expect(report.newBlocks.low).toBeCloseTo(0.1078, 3);
    expect(report.newBlocks.high).toBeCloseTo(0.6032, 3);
  });

  it('counts no change for a rule that was only renamed', async () => {
    const text = policyText('pre', [{ when: '{ pii.count: { gt: 0 } }', then: THENS[0]!, onUnknown: 'match' }]);
    const dirty = { types: ['EMAIL'], count: 1, score: 1, counts: { EMAIL: 1 } };
    const { event } = await recorded(policyOf(text), { stage: 'pre', facts: { ...FACTS, pii: dirty }, metadata: {} });
    const renamed = text.replace('- id: r0', '- id: pii.stop\n    formerly: [r1, r0]');
    expect(await backtest(policyOf(renamed), [event])).toMatchObject({ unchanged: 1, otherRules: 0, byRule: [] });
    const other = text.replace('- id: r0', '- id: pii.stop');
    expect(await backtest(policyOf(other), [event])).toMatchObject({ unchanged: 0, otherRules: 1 });
    const weaker = renamed.replace(THENS[0]!, THENS[1]!);
    expect((await backtest(policyOf(weaker), [event])).byRule).toEqual([{ name: 'pii.stop', count: 1 }]);
  });

  it('has correct confidence intervals for shares of 0 and 1, and without observations', () => {
    expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
    expect(wilson(0, 10).low).toBe(0);
    expect(wilson(0, 10).high).toBeCloseTo(0.2775, 3);
    expect(wilson(10, 10)).toEqual({ low: expect.closeTo(0.7225, 3), high: 1 });
  });
});
