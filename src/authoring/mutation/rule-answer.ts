import { askRule, type CallReading } from '../../core/judge/index.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import type { PreparedTest } from '../policy-test/index.js';

/**
 * What a rule or an exception says about a test and does then, the other rules left aside: where that is the same with a
 * mutant, the decision is the same, as far as this rule goes. It only tells which tests need not be run whole.
 *
 * @param owner a rule id, or `exception:<id>`
 * @param nowMs milliseconds since the epoch, for tests without a clock of their own
 */
export async function ruleAnswer(
  policy: CompiledPolicy,
  owner: string,
  { test, gathered: { reading } }: PreparedTest,
  nowMs: number,
): Promise<string> {
  const said: string[] = [];
  const at = { nowMs: test.clock ?? nowMs };
  for (const stage of reading.stages) said.push(await answerAt(policy, owner, { ...stage, ...at }, reading.outcomes));
  return said.join('\n');
}

async function answerAt(
  policy: CompiledPolicy,
  owner: string,
  stage: Parameters<typeof askRule>[1],
  outcomes: CallReading['outcomes'],
): Promise<string> {
  const answer = await askRule(policy, stage, owner);
  const isException = owner.startsWith(EXCEPTION_PREFIX);
  // An exception without a condition holds for every call and has no rule of the engine.
  if (answer === undefined) return isException ? effectOf(policy, owner, outcomes) : 'gone';
  const { matched, isCertain, leaves } = answer;
  const truths = leaves.map(({ truth }) => truth);
  return [matched, isCertain, ...truths, matched || isException ? effectOf(policy, owner, outcomes) : ''].join(' ');
}

const EXCEPTION_PREFIX = exceptionRuleName('');

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
