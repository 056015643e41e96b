import fc from 'fast-check';
import { judge, names } from '../../core/decision/testdata/judge.js';
import { Unknown, type FactSet, type FactValue } from '../../core/model/fact.js';
import { compileText, DETECTORS, head, policyOf } from '../../core/policy/testdata/sample-policy.js';
import { PLUGINS } from '../../core/policy/testdata/plugins.js';
import { stageSnapshot } from '../../core/stored/fact-snapshot.js';
import { engineLeaves } from '../../core/policy/engine-rules.js';
import { renderLeaf } from '../render/render-condition.js';
import { compareVerdicts } from './index.js';

const ACCEPTED = 'client_controlled: accepted\n    because: The gateway sets the limit';
const written = (when: string, { onUnknown = 'match', more = ACCEPTED } = {}): string => `${head()}${DETECTORS}
rules:
  - id: over
    stage: pre
    when: ${when}
    then: { action: block }
    on_unknown: ${onUnknown}
    ${more}
`;
const OVER = '{ request.max_tokens: { gt: { fact: metadata.limit } } }';
const factsOf = (tokens: FactValue | undefined, limit: FactValue | undefined): FactSet => ({
  request: { max_tokens: tokens ?? null, stream: false },
  metadata: limit === undefined ? {} : { limit },
});

describe('A condition over two facts', () => {
  it.each<[FactValue | undefined, FactValue | undefined, string[]]>([
    [101, 100, ['over']],
    [100, 100, []],
    [101, '100', ['over']],
    // Without a valid limit the rule fires, so that callers cannot evade it by omitting the limit.
    [1, undefined, ['over']],
    [1, 'plenty', ['over']],
    [1, { value: 100 }, ['over']],
    // Without `max_tokens` no limit is exceeded.
    [undefined, 100, []],
  ])('with the value %p and the limit %p fires the rules %p', async (tokens, limit, closed) => {
    const facts = factsOf(tokens, limit);
    expect(names(await judge(written(OVER), facts))).toEqual(closed);
    const isSaid = typeof limit === 'number' || limit === '100';
    expect(names(await judge(written(OVER, { onUnknown: 'no_match' }), facts))).toEqual(isSaid ? closed : []);
  });

  it('counts as an outage and not as a violation if one of the facts is unavailable', async () => {
    const decision = await judge(written(OVER), { ...factsOf(5, 1), metadata: new Unknown('failed', 'directory') });
    expect([decision.action, decision.unavailable]).toEqual(['block', true]);
  });

  it('has the same result as a comparison with the value of the second fact', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom('gt', 'gte', 'lt', 'lte', 'eq', 'ne'),
        fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
        fc.integer({ min: 0, max: 4 }),
        fc.boolean(),
        fc.constantFrom('match', 'no_match'),
        async (op, tokens, limit, isNegated, onUnknown) => {
          const leaf = (operand: string): string => {
            const one = `{ request.max_tokens: { ${op}: ${operand} } }`;
            return written(isNegated ? `{ not: ${one} }` : one, { onUnknown });
          };
          const facts = factsOf(tokens, limit);
          const [two, one] = await Promise.all([
            judge(leaf('{ fact: metadata.limit }'), facts),
            judge(leaf(String(limit)), facts),
          ]);
          expect(names(two)).toEqual(names(one));
        },
      ),
    ));

  it.each([
    ['an unknown fact', '{ request.max_tokens: { gt: { fact: request.maximum } } }', 'G101'],
    ['a text where a number is needed', '{ request.max_tokens: { gt: { fact: model.name } } }', 'G103'],
    ['a fact of a detector on the right', '{ request.max_tokens: { gt: { fact: pii.count } } }', 'G103'],
    ['a fact of another stage', '{ request.max_tokens: { gt: { fact: tool.args.limit } } }', 'G120'],
    ['an operator that takes a list', '{ model.name: { in: { fact: metadata.models } } }', 'G106'],
    ['half a character in a name', String.raw`{ request.max_tokens: { gt: { fact: "metadata.\ud800" } } }`, 'G103'],
    ['half a character on the left', String.raw`{ "metadata.\ud800": { gt: { fact: metadata.limit } } }`, 'G103'],
    ['no name', '{ request.max_tokens: { gt: { fact: 7 } } }', 'G103'],
  ])('does not compile with %s', (_what, when, code) => {
    expect(compileText(written(when)).problems.map((problem) => problem.code)).toContain(code);
  });

  it('requires client_controlled in the policy if the caller sets the limit', () => {
    const codes = (when: string): string[] =>
      compileText(written(when, { more: '' })).problems.map((problem) => problem.code);
    expect(codes(OVER)).toEqual(['G310']);
    expect(codes('{ app.name: { eq: { fact: key.name } } }')).toEqual([]);
  });

  it('is rendered in the format of policy files', () => {
    const [leaf] = engineLeaves(policyOf(written(OVER)).stages.pre.asWritten[0]!.conditions);
    expect(renderLeaf(leaf!)).toBe('request.max_tokens: { gt: { fact: metadata.limit } }');
  });

  it.each([
    ['a limit that may no longer be reached', OVER, OVER.replace('gt', 'gte'), 'stricter'],
    ['a limit that may now be reached', OVER.replace('gt', 'gte'), OVER, 'weaker'],
    ['another limit', OVER, `{ all: [${OVER}, { request.max_tokens: { gt: { fact: metadata.other } } }] }`, 'weaker'],
  ])('is compared by a call for which the policies decide differently: %s', async (_what, before, after, direction) => {
    const changes = await compareVerdicts(policyOf(written(before)), policyOf(written(after)), {
      plugins: PLUGINS,
      nowMs: Date.parse('2026-11-21T09:00:00Z'),
    });
    expect(changes.map((change) => change.direction)).toContain(direction);
  });

  it('is stored with its result, but without the limit that the caller sent', async () => {
    const policy = policyOf(written(OVER));
    const facts = { ...factsOf(4711, 815), environment: 'production' };
    const decision = await judge(written(OVER), facts);
    const stored = stageSnapshot(policy, { stage: 'pre', facts, decision });
    expect(Object.values(stored.answers ?? {})).toEqual(['t']);
    expect(JSON.stringify(stored)).not.toContain('815');
  });
});
