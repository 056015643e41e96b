import { engineLeaves } from '../decision/policy-runtime.js';
import { BASE_FACTS, findFact } from '../facts/registry.js';
import type { PolicyTestResult } from '../policy-test/index.js';
import type { CompiledPolicy, Environment } from '../policy/compiled.js';
import { remark, type Remark } from './finding.js';

/**
 * G200 to G211: what the tests leave unsaid. A rule that several environments share is tested when one of them tests it.
 * Tests that fail count too: they are about the rule, and `weir test` tells what is wrong with them.
 */
export function checkTested(
  policies: ReadonlyMap<Environment, CompiledPolicy>,
  results: readonly PolicyTestResult[],
): Remark[] {
  const seen = new Seen();
  for (const result of results) seen.add(result, policies.get(result.environment));
  const found = new Map<string, { readonly remark: Remark; readonly key: string }>();
  const tested = new Set<string>();
  for (const policy of policies.values()) {
    for (const { code, id, isDone, message, hint } of seen.wanted(policy)) {
      const at = code === 'G211' ? policy.sources.exceptions[id]!.at : policy.sources.rules[id]!.at;
      const key = [code, at.file, at.line, id].join('\n');
      if (isDone) tested.add(key);
      else found.set(key, { key, remark: remark(code, at, message, hint) });
    }
  }
  return [...found.values()].flatMap((one) => (tested.has(one.key) ? [] : [one.remark]));
}

interface Wanted {
  readonly code: 'G200' | 'G201' | 'G210' | 'G211';
  readonly id: string;
  readonly isDone: boolean;
  readonly message: string;
  readonly hint: string;
}

class Seen {
  private readonly fired = new Set<string>();
  private readonly rested = new Set<string>();
  private readonly unknown = new Set<string>();
  private readonly softened = new Set<string>();
  private readonly bitAgain = new Set<string>();

  add(result: PolicyTestResult, policy: CompiledPolicy | undefined): void {
    if (result.status === 'skipped' || result.decision === undefined || policy === undefined) return;
    const { decision, environment } = result;
    const judged = new Set<string>();
    for (const [leaf, truth] of Object.entries(decision.leaves)) {
      const id = leaf.slice(0, leaf.lastIndexOf('#'));
      judged.add(id);
      if (truth === null) this.unknown.add(`${environment} ${id}`);
    }
    const firing = new Map(decision.fired.map((rule) => [rule.rule, rule]));
    for (const id of judged) {
      const rule = firing.get(id);
      if (rule === undefined) this.rested.add(`${environment} ${id}`);
      else if (!rule.unavailable) this.fired.add(`${environment} ${id}`);
    }
    for (const id of decision.exceptions) this.softened.add(`${environment} ${id}`);
    for (const { id, rules, expiresAtMs } of policy.exceptions) {
      const bites = rules.some((rule) => firing.get(rule)?.enforced === true);
      if (bites && result.clockMs >= expiresAtMs) this.bitAgain.add(`${environment} ${id}`);
    }
  }

  wanted(policy: CompiledPolicy): Wanted[] {
    const { environment, rules, exceptions } = policy;
    const has = (set: ReadonlySet<string>, id: string): boolean => set.has(`${environment} ${id}`);
    return [
      ...rules.flatMap(({ id, action }): Wanted[] => [
        {
          code: 'G200',
          id,
          isDone: has(this.fired, id),
          message: `no test makes "${id}" fire`,
          hint: `expect: { action: …, rules: [${id}] }`,
        },
        {
          code: 'G201',
          id,
          isDone: has(this.rested, id),
          message: `no test at its stage lets "${id}" rest`,
          hint: 'a rule that matches everything would pass all tests',
        },
        ...(action === 'block' && canBeUnknown(policy, id)
          ? [
              {
                code: 'G210' as const,
                id,
                isDone: has(this.unknown, id),
                message: `no test shows what "${id}" does when a fact that it reads is not known`,
                hint: 'add a test with "unavailable: [<detector>]"',
              },
            ]
          : []),
      ]),
      ...exceptions.map(({ id }): Wanted => ({
        code: 'G211',
        id,
        isDone: has(this.softened, id) && has(this.bitAgain, id),
        message: `no test shows the exception "${id}" at work and its rule biting again after it`,
        hint: 'two tests: one before `expires`, one with a `clock:` after it',
      })),
    ];
  }
}

/** Base facts are always known, or absent for certain; what detectors, plugins and budgets give may be missing. */
function canBeUnknown({ stages, rules, facts }: CompiledPolicy, id: string): boolean {
  const rule = rules.find((one) => one.id === id)!;
  const engineRule = stages[rule.stage].asWritten.find(({ name }) => name === id);
  return engineLeaves(engineRule?.conditions ?? {}).some(({ fact, path }) => {
    const name = path === undefined ? fact : `${fact}.${path}`;
    return findFact(facts, name) !== undefined && !BASE_FACTS.includes(findFact(facts, name)!);
  });
}
