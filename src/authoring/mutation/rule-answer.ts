import { parseOperatorName, runtimeOf, truthOf } from '../../core/decision/policy-runtime.js';
import { engineLeaves, type EngineLeaf } from '../../core/policy/engine-rules.js';
import { readFact } from '../../core/facts/read-path.js';
import type { CallReading, StageFacts } from '../../core/judge/index.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { exceptionRuleName, LISTS_FACT } from '../../core/policy/engine-rules.js';
import type { PreparedTest } from '../policy-test/index.js';

/**
 * What a rule or an exception says about a test and does then, without running the evaluator: where that is the same
 * with a mutant, the decision is the same, as far as this rule goes. It only tells which tests need not be run; those
 * that it cannot rule out are judged by the evaluator itself.
 *
 * @param owner a rule id, or `exception:<id>`
 */
export function ruleAnswer(policy: CompiledPolicy, owner: string, { gathered: { reading } }: PreparedTest): string {
  return reading.stages.map((one) => answerAt(policy, owner, one, reading.outcomes)).join('\n');
}

function answerAt(
  policy: CompiledPolicy,
  owner: string,
  { stage, facts }: StageFacts,
  outcomes: CallReading['outcomes'],
): string {
  const { asWritten, certain, exceptions } = policy.stages[stage];
  const { context } = runtimeOf(policy);
  const written = asWritten.find(({ name }) => name === owner) ?? exceptions.find(({ name }) => name === owner);
  const isException = owner.startsWith(EXCEPTION_PREFIX);
  // An exception without a condition holds for every call and has no rule of the engine.
  if (written === undefined) return isException ? effectOf(policy, owner, outcomes) : 'gone';
  const truths = new Map<string, Truth>();
  for (const { name, fact, path, operator, value } of engineLeaves(written.conditions)) {
    const isReference = typeof value === 'object' && value !== null && 'fact' in value && value.fact === LISTS_FACT;
    const operand = isReference && 'path' in value ? context.list(String(value.path)) : value;
    const known = readFact(facts, path === undefined ? fact : `${fact}.${path}`);
    truths.set(name, truthOf(operator, known, operand, context));
  }
  const matched = holds(written.conditions, truths);
  const sure = certain.find(({ name }) => name === owner);
  const isCertain = sure === undefined ? matched : holds(sure.conditions, truths);
  return [matched, isCertain, ...truths.values(), matched || isException ? effectOf(policy, owner, outcomes) : ''].join(
    ' ',
  );
}

const EXCEPTION_PREFIX = exceptionRuleName('');

type Truth = ReturnType<typeof truthOf>;

/** All that the decision takes from a rule that matches, and from an exception that holds. */
function effectOf(policy: CompiledPolicy, owner: string, outcomes: CallReading['outcomes']): string {
  const rule = policy.rules.find(({ id }) => id === owner);
  if (rule === undefined) {
    const exception = policy.exceptions.find(({ id }) => exceptionRuleName(id) === owner);
    return JSON.stringify([exception?.effect, exception?.expiresAtMs, exception?.conditional]);
  }
  const { action, monitor, reason, onUnknown, rolloutPercent, redact } = rule;
  const masked = redact === undefined ? [] : foundCodes(outcomes).filter((code) => targetsOf(redact.targets).has(code));
  return JSON.stringify([action, monitor, reason, onUnknown, rolloutPercent, redact?.with, redact?.label, masked]);
}

const found = new WeakMap<object, readonly string[]>();

/** `detector/CODE` of everything that was found; looked up for every mutant, so kept as long as the test is. */
function foundCodes(outcomes: CallReading['outcomes']): readonly string[] {
  const known = found.get(outcomes);
  if (known !== undefined) return known;
  const codes = outcomes.flatMap((outcome) =>
    outcome.status === 'scanned' ? outcome.findings.map(({ code }) => `${outcome.detector}/${code}`) : [],
  );
  const unique = [...new Set(codes)].sort();
  found.set(outcomes, unique);
  return unique;
}

const targets = new WeakMap<object, ReadonlySet<string>>();

function targetsOf(list: NonNullable<CompiledPolicy['rules'][number]['redact']>['targets']): ReadonlySet<string> {
  const known = targets.get(list) ?? new Set(list.map(({ detector, code }) => `${detector}/${code}`));
  targets.set(list, known);
  return known;
}

function holds(condition: object, truths: ReadonlyMap<string, Truth>): boolean {
  // As the engine has it, an empty group holds.
  if ('any' in condition && Array.isArray(condition.any)) {
    const items = condition.any as readonly object[];
    return items.length === 0 || items.some((item) => holds(item, truths));
  }
  if ('all' in condition && Array.isArray(condition.all)) {
    return (condition.all as readonly object[]).every((item) => holds(item, truths));
  }
  const leaf = condition as EngineLeaf;
  const { reading } = parseOperatorName(leaf.operator);
  switch (truths.get(leaf.name)) {
    case 'true':
      return true;
    case 'false':
    case undefined:
      return false;
    case 'unknown':
      return reading === 'closed';
    case 'undecided':
      return reading !== 'open';
  }
}
