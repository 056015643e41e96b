import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { PLUGINS } from '../../core/policy/testdata/plugins.js';
import { DETECTORS, head, policyOf } from '../../core/policy/testdata/sample-policy.js';
import { comparePolicies } from '../policy-diff/index.js';
import { policyChanges, unshownWeakenings } from './index.js';

const nowMs = Date.parse('2026-11-21T09:00:00Z');

const rule = (when: string): string => `rules:
  - id: t
    stage: pre
    when: ${when}
    then: { action: block }
    on_unknown: match
`;
const exception = (when: string): string => `exceptions:
  - id: EX-1
    rules: [t]
    when: ${when}
    effect: monitor
    because: It is agreed
    approved_by: dpo@acme.example
    ticket: T-1
    expires: 2027-01-01T00:00:00Z
`;
const LEAKS = rule('{ pii.types: { any_of: [EMAIL] } }');

/** The parts of the next policy that the gate counts as weaker, although no request shows it. */
async function counted(before: string, after: string, maxRequests = 2_000): Promise<string[]> {
  const [base, next] = [before, after].map((text) => policyOf(`${head()}${DETECTORS}${text}`)) as [
    CompiledPolicy,
    CompiledPolicy,
  ];
  const comparison = await comparePolicies(base, next, { plugins: PLUGINS, nowMs, maxRequests });
  return unshownWeakenings(policyChanges(base, next, nowMs), comparison).map(({ what, id }) => `${what} ${id}`);
}

describe('The gate against weaker policies', () => {
  it.each([
    [
      'a rule with another expression, of which only some texts are tried',
      rule("{ model.name: { matches: '^[a-y]{3}5$' } }"),
      rule("{ model.name: { matches: '^[a-x]{3}5$' } }"),
      ['rule t'],
    ],
    [
      'an exception with another expression',
      `${LEAKS}${exception("{ app.name: { matches: '^[a-x]{3}5$' } }")}`,
      `${LEAKS}${exception("{ app.name: { matches: '^[a-y]{3}5$' } }")}`,
      ['exception EX-1'],
    ],
  ])('counts %s', async (_what, before, after, parts) => {
    expect(await counted(before, after)).toEqual(parts);
  });

  it('counts a rule, an exception and a list if there are too many requests to try them all', async () => {
    const many = ['pii', 'secrets', 'prompt_injection'].map((key) => `{ ${key}.score: { gte: 0.6 } }`);
    const wide = (names: string, more = ''): string =>
      `lists: { models: [${names}] }\n${rule(`{ any: [ { model.name: { in: $lists.models } }, ${many.join(', ')}${more} ] }`)}`;
    expect(await counted(wide('a, b'), wide('a, b', ', { pii.count: { gt: 90 } }'), 2)).toEqual(['rule t']);
    expect(await counted(wide('a, b'), `${wide('a, b')}${exception('{ app.name: hr }')}`, 1)).toEqual([
      'exception EX-1',
    ]);
    expect(await counted(wide('a, b'), wide('a, c'), 1)).toEqual(['list models']);
  });

  it.each([
    [
      'a changed condition if every request that the rule distinguishes was tried',
      rule('{ pii.types: { any_of: [EMAIL] } }'),
      rule(
        '{ any: [ { pii.types: { any_of: [EMAIL] } }, { all: [ { pii.types: { any_of: [EMAIL] } }, { pii.count: { gt: 1 } } ] } ] }',
      ),
    ],
    [
      'a changed condition beside an expression that is the same in both policies',
      rule("{ all: [ { model.name: { matches: '^gpt' } }, { pii.types: { any_of: [EMAIL] } } ] }"),
      rule("{ all: [ { model.name: { matches: '^gpt' } }, { pii.types: { any_of: [EMAIL, PHONE] } } ] }"),
    ],
    ['another title', LEAKS, LEAKS.replace('stage: pre', 'stage: pre\n    title: Another')],
    ['a removed exception', `${LEAKS}${exception('{ app.name: { starts_with: hr- } }')}`, LEAKS],
  ])('does not count %s', async (_what, before, after) => {
    expect(await counted(before, after)).toEqual([]);
  });

  it('does not count a rule a second time if a request shows that it is weaker', async () => {
    const [before, after] = ["'^gpt'", "'^claude'"].map((pattern) => rule(`{ model.name: { matches: ${pattern} } }`));
    expect(await counted(before!, after!)).toEqual([]);
  });
});
