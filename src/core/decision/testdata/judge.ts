import type { FactSet } from '../../model/fact.js';
import { DETECTORS, head, policyOf } from '../../policy/testdata/sample-policy.js';
import type { Decision } from '../../model/decision.js';
import { evaluate, type EvaluateInput } from '../evaluate.js';

export const NOW_MS = Date.parse('2026-11-21T09:00:00Z');
export const clean = { types: [], count: 0, score: 0, counts: {} };
export const FACTS: FactSet = {
  environment: 'production',
  declared_environment: 'production',
  provider: 'openai',
  model: { name: 'gpt-4o' },
  app: { id: 'a1', name: 'web' },
  key: { id: 'k1', name: 'ci' },
  metadata: {},
  session: { id: null },
  context: { sources: null },
  request: { max_tokens: null, stream: false },
  pii: clean,
  secrets: clean,
  prompt_injection: clean,
};
export const found = (...types: string[]) => ({
  types,
  count: types.length,
  score: 0.9,
  counts: Object.fromEntries(types.map((type) => [type, 1])),
});

export function judge(text: string, facts: FactSet = {}, more: Partial<EvaluateInput> = {}): Promise<Decision> {
  const input = { stage: 'pre', nowMs: NOW_MS, clientMonitor: false, ...more } as const;
  return evaluate(policyOf(text), { ...input, facts: { ...FACTS, ...facts } });
}

export const names = (decision: Decision): string[] => decision.fired.map(({ rule }) => rule);

/** One rule per action, and one rule of another stage. */
export const LATTICE = `${head()}${DETECTORS}
rules:
  - { id: a.flag, stage: pre, severity: critical, when: { pii.count: { gt: 0 } }, then: { action: flag } }
  - id: b.redact
    stage: pre
    severity: low
    when: { pii.types: { any_of: [EMAIL] } }
    then: { action: redact, redact: { entities: [EMAIL], label: contains_pii } }
    on_unknown: match
  - id: c.block
    stage: pre
    severity: medium
    when: { pii.types: { any_of: [US_SSN] } }
    then: { action: block, detail: government-id }
    on_unknown: match
  - id: d.block
    stage: pre
    severity: high
    when: { secrets.count: { gt: 0 } }
    then: { action: block }
    on_unknown: match
  - { id: e.other-stage, stage: post, when: { pii.count: { gte: 0 } }, then: { action: block }, on_unknown: match }
`;
