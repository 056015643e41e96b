import fc from 'fast-check';
import { NOTHING_FOUND } from '../facts/build-facts.js';
import { quietDecision } from '../decision/quiet-decision.js';
import { LATTICE, NOW_MS } from '../decision/testdata/judge.js';
import { judgeStage } from '../judge/judge-stage.js';
import { DETECTORS, head, policyOf } from '../policy/testdata/sample-policy.js';
import { AtLeast, Unknown, type FactSet, type FactValue, type Stage } from '../model/fact.js';
import { makersOf, stageSnapshot } from './fact-snapshot.js';
import { storedFact, storedFactsText } from './stored-facts.js';
import { makersText, stageText } from './stage-text.js';

const text = fc.string({ unit: 'binary', maxLength: 8 });
const { value: anyFact } = fc.letrec<{ value: FactValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    text,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom<FactValue>(null, NOTHING_FOUND, new Unknown('timeout', 'p"ii'), new AtLeast('documents', 3)),
    // A plugin in JavaScript may return this despite the types.
    fc.constant(undefined as unknown as FactValue),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', 'args', 'name', '7')), tie('value'), { maxKeys: 4 }),
  ),
}));
const ROOTS = ['metadata', 'context', 'session', 'flow', 'history', 'tool', 'tool_calls', 'pii', 'model', 'a"b', '7'];
const anyFacts: fc.Arbitrary<FactSet> = fc.dictionary(fc.constantFrom(...ROOTS), anyFact, { maxKeys: 8 });

describe('The stored text of a stage', () => {
  it('contains facts as JSON.stringify would write their stored forms', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const kept = Object.entries(facts).map(([root, value]) => [root, storedFact(root, value)]);
        expect(storedFactsText(facts)).toBe(JSON.stringify(Object.fromEntries(kept)));
      }),
      { numRuns: 1_000 },
    );
  });

  const asksMetadata = `${head()}${DETECTORS}rules:
  - { id: a.flag, stage: pre, when: { metadata.team: { eq: search } }, then: { action: flag } }
  - { id: b.flag, stage: pre, when: { not: { metadata.level: { gt: 3 } } }, then: { action: flag } }
`;

  it.each([
    ['rules of every action', LATTICE],
    ['conditions over what callers write', asksMetadata],
    ['no rules', `${head()}${DETECTORS}`],
  ])('equals JSON.stringify of the snapshot, for a policy with %s', async (_what, written) => {
    const policy = policyOf(written);
    expect(makersText(policy)).toBe(JSON.stringify(makersOf(policy)));
    const found = fc.constantFrom<FactValue>(
      NOTHING_FOUND,
      { types: ['EMAIL', 'US_SSN'], count: 2, score: 0.5, counts: { EMAIL: 1, US_SSN: 1 } },
      new Unknown('failed', 'pii'),
    );
    const team = fc.record({ team: fc.constantFrom('search', 'sales'), level: fc.integer({ max: 6 }) });
    const call = fc.record({
      stage: fc.constantFrom<Stage>('pre', 'post', 'tool'),
      facts: fc.record({ pii: found, secrets: found, metadata: fc.oneof(team, fc.constant({})), more: anyFact }),
      contents: fc.constantFrom(undefined, {
        unread: [{ path: 'b', why: 'outage', bytes: 9 }],
        media: [],
        governed: true,
      } as const),
      toolCall: fc.constantFrom(undefined, 0, 3),
    });
    await fc.assert(
      fc.asyncProperty(call, async ({ stage, facts, contents, toolCall }) => {
        const read = {
          ...{ stage, facts },
          ...(contents === undefined ? {} : { contents }),
          ...(toolCall === undefined ? {} : { toolCall }),
        };
        const decision = await judgeStage(policy, { ...read, nowMs: NOW_MS, clientMonitor: false });
        expect(stageText(policy, { ...read, decision })).toBe(
          JSON.stringify(stageSnapshot(policy, { ...read, decision })),
        );
      }),
    );
  });

  it('of a quiet call records the same decision as if every rule were evaluated', async () => {
    const policy = policyOf(LATTICE);
    const facts = { pii: NOTHING_FOUND, secrets: NOTHING_FOUND };
    const stage = { stage: 'pre' as const, facts, nowMs: NOW_MS, clientMonitor: false };
    const quiet = await judgeStage(policy, stage);
    expect(quiet).toBe(quietDecision(policy, 'pre'));
    // With `contents`, even empty ones, every rule is evaluated.
    const contents = { unread: [], media: [], governed: false };
    await expect(judgeStage(policy, { ...stage, contents })).resolves.toEqual(quiet);
  });

  it.each([
    ['that refuses what no rule allows', `${head().replace('default: allow', 'default: block')}${DETECTORS}`],
    ['with a rule that always holds', LATTICE.replace('{ pii.count: { gt: 0 } }', '{ not: { pii.count: { gt: 9 } } }')],
  ])('of a quiet call records a fired rule under a policy %s', async (_what, written) => {
    const policy = policyOf(written);
    const facts = { pii: NOTHING_FOUND, secrets: NOTHING_FOUND };
    const decision = await judgeStage(policy, { stage: 'pre', facts, nowMs: NOW_MS, clientMonitor: false });
    expect(decision.fired).toHaveLength(1);
  });
});
