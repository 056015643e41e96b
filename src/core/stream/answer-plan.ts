import type { BoundDetector } from '../detection/bind.js';
import { engineLeaves, parseOperatorName, type EngineLeaf } from '../decision/policy-runtime.js';
import type { CompiledPolicy, CompiledRule } from '../policy/compiled.js';

/** What a policy asks of streamed answers. */
export interface AnswerPlan {
  /**
   * - `pass`: no rule can change an answer; it goes on as it comes.
   * - `guard`: text goes on as soon as no rule can touch it any more.
   * - `hold`: a verdict is there only when the answer is: something that is still to come may take it back.
   */
  readonly mode: 'pass' | 'guard' | 'hold';
  /** Enforced rules of stage `post`. */
  readonly rules: readonly CompiledRule[];
  /** By detector key, the codes that these rules ask about or mask. */
  readonly codes: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Facts that are the same at the first and at the last character of an answer. */
const STEADY = new Set([
  'environment',
  'declared_environment',
  'app',
  'key',
  'provider',
  'model',
  'session',
  'metadata',
  'context',
  'request',
  'budgets',
]);
/** What, once true of the findings so far, stays true whatever is found later. */
const GROWING: Readonly<Record<string, ReadonlySet<string>>> = {
  types: new Set(['any_of', 'all_of']),
  count: new Set(['gt', 'gte']),
  score: new Set(['gt', 'gte']),
  counts: new Set(['gt', 'gte']),
};

/** Whether the rule does something to a call, for some callers at least. */
function enforces(rule: CompiledRule): boolean {
  return !rule.monitor && (rule.action === 'redact' || rule.action === 'block');
}

/** Reads off a policy how its answers can be streamed. Done once per policy. */
export function planAnswer(policy: CompiledPolicy, detectors: readonly BoundDetector[]): AnswerPlan {
  const none = { rules: [], codes: new Map() };
  if (policy.monitor) return { mode: 'pass', ...none };
  if (policy.default === 'block') return { mode: 'hold', ...none };
  const rules = policy.rules.filter((rule) => rule.stage === 'post' && enforces(rule));
  const judgesTools = policy.rules.some((rule) => rule.stage === 'tool' && enforces(rule));
  if (rules.length === 0 && !judgesTools) return { mode: 'pass', ...none };
  const streamed = new Set(detectors.filter(({ stream }) => stream !== undefined).map(({ binding }) => binding.key));
  const ids = new Set(rules.map(({ id }) => id));
  const conditions = policy.stages.post.asWritten.filter(({ name }) => ids.has(name ?? ''));
  const softening = policy.stages.post.exceptions;
  const guardable =
    conditions.every(({ conditions: tree }) => engineLeaves(tree).every((leaf) => onlyGrows(leaf, streamed))) &&
    softening.every(({ conditions: tree }) => engineLeaves(tree).every(({ fact }) => STEADY.has(fact)));
  const codes = codesOfRules(rules, detectors);
  if (!guardable || [...codes.keys()].some((key) => !streamed.has(key))) return { mode: 'hold', ...none };
  return { mode: 'guard', rules, codes };
}

function onlyGrows({ fact, path, operator }: EngineLeaf, streamed: ReadonlySet<string>): boolean {
  if (STEADY.has(fact)) return true;
  const kind = path?.split('.')[0] ?? '';
  return streamed.has(fact) && Object.hasOwn(GROWING, kind) && GROWING[kind]!.has(parseOperatorName(operator).op);
}

/** Whether a leaf can become true while an answer is coming. */
export function mayBecomeTrue({ fact }: EngineLeaf): boolean {
  return !STEADY.has(fact);
}

function codesOfRules(
  rules: readonly CompiledRule[],
  detectors: readonly BoundDetector[],
): Map<string, ReadonlySet<string>> {
  const codes = new Map<string, Set<string>>();
  const add = (key: string, more: readonly string[]): void => {
    const known = codes.get(key) ?? new Set();
    for (const code of more) known.add(code);
    codes.set(key, known);
  };
  for (const { evidence, redact } of rules) {
    for (const { detector, codes: named } of evidence) {
      const all = detectors.find(({ binding }) => binding.key === detector)?.binding.codes ?? [];
      add(detector, named === 'all' ? all : named);
    }
    for (const { detector, code } of redact?.targets ?? []) add(detector, [code]);
  }
  return codes;
}
