import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { PLUGINS } from '../../core/policy/testdata/plugins.js';
import { DETECTORS, head, oneRule, policyOf } from '../../core/policy/testdata/sample-policy.js';
import { comparePolicies, type VerdictChange } from './index.js';

const nowMs = Date.parse('2026-11-21T09:00:00Z');

const compare = (base: CompiledPolicy, next: CompiledPolicy, maxRequests?: number) =>
  comparePolicies(base, next, { plugins: PLUGINS, nowMs, ...(maxRequests !== undefined && { maxRequests }) });

const shortly = ({ direction, before, after, request }: VerdictChange) => ({
  direction,
  verdicts: `${before.action} -> ${after.action}`,
  ...request.facts,
  ...Object.fromEntries(
    Object.entries(request.findings).map(([detector, found]) => [detector, found.map(({ code }) => code).join()]),
  ),
  ...(request.unavailable.length > 0 && { down: request.unavailable.join() }),
});

const UNTRUSTED = (sources: string): string => `${head()}${DETECTORS}
lists: { dangerous: [run_shell, delete_database] }
conditions:
  untrusted:
    any:
      - prompt_injection.score: { gte: 0.8 }
      - context.sources: { any_of: ${sources} }
rules:
  - id: tool.stop
    stage: tool
    client_controlled: accepted
    because: The gateway sets the sources
    when: { all: [ { tool.name: { in: $lists.dangerous } }, { use: untrusted } ] }
    then: { action: block }
    on_unknown: match
`;

describe('comparePolicies', () => {
  it('returns the requests that pass because of a removed list entry, and reports a complete search', async () => {
    const { changes, searched } = await compare(
      policyOf(UNTRUSTED('[web, inbound_email]')),
      policyOf(UNTRUSTED('[web]')),
    );
    expect(changes.map(shortly)).toEqual([
      {
        direction: 'weaker',
        verdicts: 'block -> allow',
        'tool.name': 'delete_database',
        'context.sources': ['inbound_email'],
        prompt_injection: '',
      },
      {
        direction: 'weaker',
        verdicts: 'block -> allow',
        'context.sources': ['inbound_email'],
        prompt_injection: '',
        down: 'tool-use',
      },
      {
        direction: 'other',
        verdicts: 'block -> block',
        'tool.name': 'delete_database',
        'context.sources': ['inbound_email'],
        down: 'prompt_injection',
      },
    ]);
    expect(changes[0]?.request.alike).toEqual({ 'tool.name': ['run_shell'] });
    expect(searched).toEqual([
      expect.objectContaining({ stage: 'tool', enumerated: ['tool.stop'], sampled: [], openFacts: [], complete: true }),
    ]);
  });

  it('finds no difference between equivalent policies', async () => {
    const pairs: [string, string][] = [
      ['{ pii.count: { gt: 0 } }', '{ pii.count: { gte: 1 } }'],
      ['{ not: { pii.count: 0 } }', '{ pii.count: { gt: 0 } }'],
      [
        '{ all: [ { pii.count: { gt: 0 } }, { pii.types: { any_of: [EMAIL] } } ] }',
        '{ pii.types: { any_of: [EMAIL] } }',
      ],
      ['{ not: { any: [ { model.name: a }, { model.name: b } ] } }', '{ model.name: { not_in: [b, a] } }'],
    ];
    for (const [before, after] of pairs) {
      const { changes, searched } = await compare(policyOf(oneRule(before)), policyOf(oneRule(after)));
      expect({ before, changes: changes.map(shortly) }).toEqual({ before, changes: [] });
      expect(searched[0]?.requests).toBeGreaterThan(1);
    }
  });

  it('never returns a combination of facts that no detector can produce', async () => {
    const { changes } = await compare(
      policyOf(oneRule('{ all: [ { pii.count: { gte: 2 } }, { pii.types: { any_of: [EMAIL] } } ] }')),
      policyOf(oneRule('{ all: [ { pii.count: { gte: 3 } }, { pii.types: { any_of: [EMAIL] } } ] }')),
    );
    expect(changes.length).toBeGreaterThan(0);
    for (const { request } of changes) expect(request.findings['pii']).toHaveLength(2);
  });

  it.each<[string, string, string, string]>([
    ['a threshold', '{ prompt_injection.score: { gte: 0.7 } }', '{ prompt_injection.score: { gte: 0.71 } }', 'weaker'],
    ['a strict limit', '{ prompt_injection.score: { gte: 0.7 } }', '{ prompt_injection.score: { gt: 0.7 } }', 'weaker'],
    ['a wider list', '{ model.name: { in: [a] } }', '{ model.name: { in: [a, b] } }', 'stricter'],
    ['a prefix', '{ model.name: { starts_with: gpt-4 } }', '{ model.name: { starts_with: gpt-4o } }', 'weaker'],
    [
      'an expression',
      '{ model.name: { matches: "^gpt-\\\\d" } }',
      '{ model.name: { matches: "^gpt-[45]" } }',
      'weaker',
    ],
    [
      'a domain',
      '{ metadata.to: { email_domain_in: [a.example] } }',
      '{ metadata.to: { email_domain_in: [b.example] } }',
      'weaker',
    ],
    ['an instant', '{ metadata.at: { after: 2026-01-01 } }', '{ metadata.at: { after: 2026-01-02 } }', 'weaker'],
    ['a version', '{ metadata.v: { semver_gte: 1.2.0 } }', '{ metadata.v: { semver_gte: 1.3.0 } }', 'weaker'],
    ['a number in metadata', '{ metadata.n: { gte: 5 } }', '{ metadata.n: { gte: 6 } }', 'weaker'],
  ])('finds a changed verdict if the policies differ in %s', async (_what, before, after, direction) => {
    const { changes } = await compare(policyOf(oneRule(before)), policyOf(oneRule(after)));
    expect(changes.map((change) => change.direction)).toContain(direction);
  });

  it('reports a rule that now fails open as weaker, and names the unavailable detector', async () => {
    const { changes } = await compare(
      policyOf(oneRule('{ pii.count: { gt: 0 } }')),
      policyOf(oneRule('{ pii.count: { gt: 0 } }', { onUnknown: 'no_match' })),
    );
    expect(changes.map(shortly)).toEqual([{ direction: 'weaker', verdicts: 'block -> allow', down: 'pii' }]);
  });

  it('finds changes in conditions on entries of a list of tool calls, and on flows', async () => {
    const some = (list: string): string =>
      oneRule(
        `{ tool_calls: { some: { all: [ { name: send }, { not: { args.to: { email_domain_in: ${list} } } } ] } } }`,
        { stage: 'tool' },
      );
    const { changes } = await compare(policyOf(some('[a.example]')), policyOf(some('[a.example, b.example]')));
    expect(changes.map((change) => change.direction)).toContain('weaker');
    const flow = (name: string): string =>
      oneRule(`{ flow: { from: { tool_result: { name: fetch } }, to: { tool_call: { name: ${name} } } } }`, {
        stage: 'tool',
      });
    const flows = await compare(policyOf(flow('send')), policyOf(flow('mail')));
    expect(new Set(flows.changes.map((change) => change.direction))).toEqual(new Set(['weaker', 'stricter']));
  });

  it('finds changes in the masked entities', async () => {
    const rule = (entities: string): string => `${head()}${DETECTORS}
rules:
  - id: mask
    stage: pre
    when: { pii.types: { any_of: [EMAIL, PHONE] } }
    then: { action: redact, redact: { entities: ${entities} } }
    on_unknown: match
`;
    const { changes } = await compare(policyOf(rule('[EMAIL, PHONE]')), policyOf(rule('[EMAIL]')));
    expect(changes.map(({ direction, before, after }) => [direction, before.masked, after.masked])).toContainEqual([
      'weaker',
      ['pii/PHONE as [{type}_{n}]'],
      [],
    ]);
    expect(changes.map(({ rules }) => rules)).toEqual(changes.map(() => ['mask']));
  });

  it('finds the effect of a prolonged exception, and no difference for a renamed rule', async () => {
    const policy = (until: string, id = 't'): string =>
      `${oneRule('{ model.name: a }').replace('- id: t', `- id: ${id}\n    formerly: [${id === 't' ? 'old' : 't'}]`)}exceptions:
  - { id: EX, rules: [${id}], because: B, approved_by: A, ticket: T, effect: skip, expires: ${until} }
`;
    const { changes } = await compare(
      policyOf(policy('2027-01-01T00:00:00Z')),
      policyOf(policy('2027-02-01T00:00:00Z')),
    );
    expect(changes.map(({ direction, request }) => [direction, request.at])).toEqual([
      ['weaker', '2027-01-31T23:59:59.999Z'],
      ['weaker', '2027-01-01T00:00:00.000Z'],
    ]);
    const renamed = await compare(
      policyOf(policy('2027-01-01T00:00:00Z')),
      policyOf(policy('2027-01-01T00:00:00Z', 'u')),
    );
    expect(renamed.changes.map(shortly)).toEqual([]);
  });

  it('reports an incomplete search if it tried only some of very many combinations', async () => {
    const many = (limit: number): string =>
      oneRule(
        `{ all: [ ${Array.from({ length: 8 }, (_, n) => `{ metadata.m${n}: { gte: ${limit} } }`).join(', ')} ] }`,
      );
    const { changes, searched } = await compare(policyOf(many(5)), policyOf(many(4)), 500);
    expect(searched[0]).toMatchObject({ sampled: ['t'], enumerated: [], complete: false });
    expect(searched[0]?.requests).toBeLessThanOrEqual(500);
    expect(changes.every(({ direction }) => direction === 'stricter')).toBe(true);
  });
});
