import { sha256Hex } from '../bundles/index.js';
import {
  answeringSources,
  captureTest,
  decidingRule,
  exceptionCondition,
  exceptionsOf,
  explainDecision,
  explainedRules,
  listRules,
  OfflineJudge,
  ruleChanges,
  runPolicyTests,
  type ExplainedStage,
  type VerdictName,
} from '../authoring/index.js';
import {
  compilePolicy,
  entryFiles,
  type AskRemote,
  type CompiledPolicy,
  type ErrorDetail,
  type KeyedHash,
  type PluginCatalog,
} from '../core/index.js';
import { evaluateCall } from './evaluate-call.js';
import type { Answers, Outcome, PolicyTexts, Question, Questions } from './tasks.js';

export interface AnalystHost {
  /** Milliseconds of CPU time of this thread. */
  workMs(): number;
  readonly hash: KeyedHash;
  readonly askRemote?: AskRemote;
}

/** The maximum number of compiled policies in the cache, which keeps the most recently used. */
const MAX_POLICIES = 8;
const MAX_DETAILS = 20;

interface Known {
  readonly policy: CompiledPolicy;
  judge?: OfflineJudge;
}

/** The question is invalid. */
class Refused extends Error {
  override readonly name = 'Refused';

  constructor(readonly details: readonly ErrorDetail[]) {
    super('the question cannot be answered');
  }
}

/** Answers questions about policies and recorded decisions, with the functions that judge calls and serve the command line. */
export class Analyst {
  private readonly policies = new Map<string, Known>();

  /** @param plugins with detectors that are ready to scan */
  constructor(
    private readonly plugins: PluginCatalog,
    private readonly host: AnalystHost,
  ) {}

  async answer<Name extends Question>(name: Name, question: Questions[Name]): Promise<Outcome<Name>> {
    const before = this.host.workMs();
    try {
      const answer = (await this[name](question as never)) as Answers[Name];
      return { kind: 'answered', answer, workMs: this.host.workMs() - before };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { kind: 'refused', details: error.details, workMs: this.host.workMs() - before };
    }
  }

  private async rules({ policy: texts, nowMs }: Questions['rules']): Promise<Answers['rules']> {
    const { policy } = this.compiled(texts);
    const run =
      texts.tests === null || texts.tests.length === 0
        ? undefined
        : await runPolicyTests({
            files: texts.tests,
            policies: new Map([[policy.environment, policy]]),
            environments: [policy.environment],
            plugins: this.plugins,
            nowMs,
            detectors: 'stub',
            leaveOut: 'real',
          });
    const results = texts.tests === null ? undefined : (run?.results ?? []);
    return {
      rules: listRules(policy, texts.files, results).map((rule) => ({
        ...rule,
        formerly: [...rule.formerly],
        tags: [...rule.tags],
      })),
      lists: Object.entries(policy.lists).map(([list, entries]) => ({ name: list, entries: [...entries] })),
      budgets: policy.budgets.map(({ id, scope, window, limit, onExceed }) => ({
        id,
        scope: [...scope],
        per: window.per,
        timezone: window.timezone,
        unit: limit.unit,
        limit: limit.unit === 'usd' ? limit.nanoUsd : String(limit.tokens),
        on_exceed: onExceed,
      })),
      detectors: policy.detectors.map(({ key, plugin, version, codes }) => ({
        key,
        plugin,
        version,
        codes: [...codes],
      })),
    };
  }

  private exceptions({ policy: texts, nowMs }: Questions['exceptions']): Answers['exceptions'] {
    const { policy } = this.compiled(texts);
    const data = exceptionsOf(policy, nowMs).map(({ at, ...one }) => ({
      ...one,
      when: exceptionCondition(policy, one.id),
      path: at?.file ?? null,
      line: at?.line ?? null,
    }));
    return { data };
  }

  private async explain({ policy: texts, record, all }: Questions['explain']): Promise<Answers['explain']> {
    const policy = texts === null ? undefined : this.recorded(texts, record.policyDigest);
    const { stages, reproduced } = await explainDecision(record, policy);
    const missing = [...new Set(stages.flatMap((stage) => stage.missing))];
    return {
      reproduced: reproduced === 'cannot tell' ? null : reproduced === 'yes',
      differs: stages.flatMap(differences),
      missing: policy === undefined ? ['the policy of the decision'] : missing,
      decision: strongest(stages),
      deciding_rule: decidingRule(stages.map(({ snapshot }) => snapshot)),
      rules: stages.flatMap(({ snapshot }) =>
        explainedRules(snapshot, policy, all).map((rule) => ({ ...rule, conditions: [...rule.conditions] })),
      ),
    };
  }

  private async capture({ policy: texts, record, id }: Questions['capture']): Promise<Answers['capture']> {
    const policy = this.recorded(texts, record.policyDigest);
    const captured = policy && (await captureTest(id, record, policy, this.plugins));
    if (captured === undefined) throw new Refused([{ path: 'id', message: NOT_JUDGED }]);
    const { text: yaml, failures } = captured;
    return { path: `tests/${id}.test.yaml`, yaml, passes: failures.length === 0, missing: [...failures] };
  }

  private async diff({ from, to, nowMs, maxRequests, without }: Questions['diff']): Promise<Answers['diff']> {
    const [base, whole] = [this.compiled(from).policy, this.compiled(to).policy];
    const ended = without === undefined ? undefined : withoutException(whole, without, nowMs);
    return this.compared(base, ended?.policy ?? whole, ended?.nowMs ?? nowMs, maxRequests);
  }

  private async compared(
    base: CompiledPolicy,
    next: CompiledPolicy,
    nowMs: number,
    maxRequests: number,
  ): Promise<Answers['diff']> {
    const { rules, others, complete } = await ruleChanges(base, next, { plugins: this.plugins, nowMs, maxRequests });
    const plain = rules.map((rule) => ({ ...rule, fields: [...rule.fields], witness: [...rule.witness] }));
    return { rules: plain, others, complete };
  }

  private async evaluate({ policy: texts, call, nowMs }: Questions['evaluate']): Promise<Answers['evaluate']> {
    const known = this.compiled(texts);
    const { policy } = known;
    const names = answeringSources(policy, this.plugins);
    const strange = (call.unavailable ?? []).flatMap((name, index) =>
      names.includes(name) ? [] : [{ path: `unavailable[${index}]`, message: 'is not a detector of this policy' }],
    );
    if (strange.length > 0) throw new Refused(strange);
    const { host } = this;
    known.judge ??= new OfflineJudge(policy, this.plugins, {
      nowMs: () => host.workMs(),
      hash: host.hash,
      ...(host.askRemote === undefined ? {} : { askRemote: host.askRemote }),
    });
    const before = host.workMs();
    const evaluated = await evaluateCall(known.judge, call, nowMs, this.plugins);
    return { ...evaluated, digest: sha256Hex(policy.canonical), ms: host.workMs() - before };
  }

  /** The policy that decided; undefined if the current plugins compile its texts to a different policy. */
  private recorded(texts: PolicyTexts, digest: string | null): CompiledPolicy | undefined {
    const { policy } = this.compiled(texts);
    return sha256Hex(policy.canonical) === digest ? policy : undefined;
  }

  private compiled({ key, environment, files }: PolicyTexts): Known {
    const known = this.policies.get(key) ?? { policy: this.compile(environment, files) };
    this.policies.delete(key);
    this.policies.set(key, known);
    const [oldest] = this.policies.keys();
    if (this.policies.size > MAX_POLICIES && oldest !== undefined) this.policies.delete(oldest);
    return known;
  }

  private compile(environment: PolicyTexts['environment'], files: PolicyTexts['files']): CompiledPolicy {
    const entry = entryFiles(files, environment);
    const { policy, problems } = compilePolicy({ environment, files: [...files], entry, plugins: this.plugins });
    if (policy !== undefined) return policy;
    const errors = problems.filter(({ level }) => level === 'error').slice(0, MAX_DETAILS);
    const details = errors.map(({ code, file, line, message }) => ({
      path: 'policy',
      message: `${file}:${line} ${code} ${message}`,
    }));
    throw new Refused([{ path: 'policy', message: 'does not compile with the plugins of this service' }, ...details]);
  }
}

export const NOT_JUDGED = 'no rule judged this event, or its policy is no longer available';

function differences({ snapshot, recorded, recomputed, differs }: ExplainedStage): string[] {
  const where = snapshot.tool_call === undefined ? snapshot.stage : `tool call ${snapshot.tool_call + 1}`;
  return [
    ...(recomputed === null || recomputed === recorded ? [] : [`${where}: recorded ${recorded}, now ${recomputed}`]),
    ...differs.map((rule) => `${where}: the result of ${rule} differs`),
  ];
}

/**
 * Returns the policy without an exception, and the latest time, up to now, at which the exception is not expired, so that leaving it out
 * can make a difference.
 */
function withoutException(policy: CompiledPolicy, id: string, nowMs: number) {
  const exception = policy.exceptions.find((one) => one.id === id);
  if (exception === undefined) throw new Refused([{ path: 'without', message: 'is not an exception of this policy' }]);
  const exceptions = policy.exceptions.filter((one) => one !== exception);
  return {
    policy: { ...policy, exceptions, canonical: `${policy.canonical} without ${id}` },
    nowMs: Math.min(nowMs, exception.expiresAtMs - 1),
  };
}

/** Strongest first. */
const ORDER: Readonly<Record<VerdictName, number>> = { block: 0, unavailable: 1, redact: 2, allow: 3 };

function strongest(stages: readonly ExplainedStage[]): VerdictName | null {
  const [first] = stages.flatMap(({ recorded }) => recorded ?? []).sort((one, other) => ORDER[one] - ORDER[other]);
  return first ?? null;
}
