import { answersAt, askRule, type CallReading } from '../../core/judge/index.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import type { PreparedTest } from '../policy-test/index.js';
import { replacementIn, sliceOf } from '../policy-diff/index.js';
import { memoizeByObject } from '../../core/model/memoize.js';

/**
 * The result and effect of one rule or exception for tests, independent of other rules. If they are equal with and without a mutation,
 * this rule does not change the decision. Used only to skip runs of tests.
 */
export class RuleAnswers {
  private readonly alone: CompiledPolicy;
  /** Cached answers, by stage and truth values of the conditions, which are equal for many tests. */
  private readonly said = new Map<string, { readonly answer: RuleAnswer }>();

  /** @param owner a rule id, or `exception:<id>` */
  constructor(
    policy: CompiledPolicy,
    private readonly owner: string,
    private readonly nowMs: number,
  ) {
    this.alone = sliceOf(policy, new Set([owner]));
  }

  /** Returns a cached answer without a promise, because this runs for every mutant and test. */
  about({ test, gathered: { reading } }: PreparedTest): string | Promise<string> {
    const at = { nowMs: test.clock ?? this.nowMs };
    const answers = reading.stages.map((stage) => this.answerAt({ ...stage, ...at }, reading.outcomes));
    return answers.every((answer) => typeof answer === 'string') ? answers.join('\n') : joined(answers);
  }

  private answerAt(stage: Parameters<typeof askRule>[1], outcomes: CallReading['outcomes']): string | Promise<string> {
    const key = `${stage.stage} ${answersAt(this.alone, stage).join(' ')}`;
    const known = this.said.get(key);
    if (known !== undefined) return this.textOf(known.answer, outcomes);
    return askRule(this.alone, stage, this.owner).then((answer) => {
      this.said.set(key, { answer });
      return this.textOf(answer, outcomes);
    });
  }

  private textOf(answer: RuleAnswer, outcomes: CallReading['outcomes']): string {
    if (!this.holds(answer)) return 'nothing';
    const truths = answer?.leaves.map(({ truth }) => truth) ?? [];
    return [answer?.isCertain, ...truths, effectOf(this.alone, this.owner, outcomes)].join(' ');
  }

  /** Whether the rule matches, or the exception applies to its rules. */
  private holds(answer: RuleAnswer): boolean {
    if (!this.owner.startsWith(EXCEPTION_PREFIX)) return answer?.matched === true;
    const [exception] = this.alone.exceptions;
    // An exception without a condition always applies and has no engine rule.
    return exception !== undefined && (!exception.conditional || answer?.matched === true);
  }
}

async function joined(answers: readonly (string | Promise<string>)[]): Promise<string> {
  const all: string[] = [];
  for (const answer of answers) all.push(await answer);
  return all.join('\n');
}

type RuleAnswer = Awaited<ReturnType<typeof askRule>>;

const EXCEPTION_PREFIX = exceptionRuleName('');

/** Every part of a matching rule or an applicable exception on which the decision depends. */
function effectOf(policy: CompiledPolicy, owner: string, outcomes: CallReading['outcomes']): string {
  const rule = policy.rules.find(({ id }) => id === owner);
  if (rule === undefined) {
    const exception = policy.exceptions.find(({ id }) => exceptionRuleName(id) === owner);
    return JSON.stringify([exception?.effect, exception?.expiresAtMs, exception?.conditional, exception?.rules]);
  }
  const { action, monitor, reason, onUnknown, rolloutPercent, redact } = rule;
  const masked = redact === undefined ? [] : foundCodes(outcomes).filter((code) => targetsOf(redact.targets).has(code));
  return JSON.stringify([
    action,
    monitor,
    reason,
    onUnknown,
    rolloutPercent,
    redact && replacementIn(redact),
    redact?.label,
    masked,
  ]);
}

/** `detector/CODE` of all findings, cached because every mutant reads it. */
const foundCodes = memoizeByObject((outcomes: CallReading['outcomes']): readonly string[] => {
  const codes = outcomes.flatMap((outcome) =>
    outcome.status === 'scanned' ? outcome.findings.map(({ code }) => `${outcome.detector}/${code}`) : [],
  );
  return [...new Set(codes)].sort();
});

type Targets = NonNullable<CompiledPolicy['rules'][number]['redact']>['targets'];

const targetsOf = memoizeByObject(
  (list: Targets): ReadonlySet<string> => new Set(list.map(({ detector, code }) => `${detector}/${code}`)),
);
