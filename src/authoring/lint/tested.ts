import { isBuiltIn } from '../../core/policy/built-in/index.js';
import { engineLeaves, factsOfLeaf } from '../../core/policy/engine-rules.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import { STAGES, type Stage } from '../../core/model/fact.js';
import { BASE_FACTS, findFact } from '../../core/facts/registry.js';
import { runsInEveryTest, unknownLeaves, type PolicyTestResult, type PreparedTest } from '../policy-test/index.js';
import type { CompiledPolicy, Environment } from '../../core/model/compiled-policy.js';
import { remark, type Remark } from './finding.js';

interface Wanted {
  /** Identifies the part to be tested by its position in the files: environments that share the position have one finding. */
  readonly key: string;
  /** The stages whose tests could cover it. */
  readonly stages: ReadonlySet<Stage>;
  readonly environment: Environment;
  readonly remark: Remark;
  isDone(): boolean;
}

/**
 * G200 to G211: rules, patterns and exceptions that the tests do not cover. A shared rule is covered if the tests of one environment
 * cover it. Failing tests count, because `weir test` reports them.
 */
export class Tested {
  private readonly seen = new Map<Environment, Seen>();
  private readonly byKey = new Map<string, Wanted[]>();
  /** The parts that were not yet covered at the last check, by environment and stage. Covered entries are never needed again. */
  private readonly open = new Map<string, Wanted[]>();

  constructor(policies: ReadonlyMap<Environment, CompiledPolicy>, plugins: PluginCatalog) {
    for (const policy of policies.values()) {
      const seen = new Seen(policy);
      this.seen.set(policy.environment, seen);
      for (const one of [...wantedOf(policy, seen), ...wantedPatterns(policy, seen, plugins)]) this.want(one);
    }
  }

  add(result: PolicyTestResult, test: PreparedTest): void {
    this.seen.get(result.environment)?.add(result, test);
  }

  /** Whether a test of this stage could still improve the coverage. */
  needs({ environment }: CompiledPolicy, stage: Stage): boolean {
    const open = this.open.get(placeOf(environment, stage)) ?? [];
    for (let last = open.at(-1); last !== undefined && this.isShown(last.key); last = open.at(-1)) open.pop();
    return open.length > 0;
  }

  missing(): Remark[] {
    return [...this.byKey].flatMap(([key, ofKey]) =>
      this.isShown(key) ? [] : ofKey.slice(-1).map((one) => one.remark),
    );
  }

  private want(one: Wanted): void {
    const { key, environment, stages } = one;
    append(this.byKey, key, one);
    for (const stage of stages) append(this.open, placeOf(environment, stage), one);
  }

  private isShown(key: string): boolean {
    return this.byKey.get(key)?.some((one) => one.isDone()) === true;
  }
}

function append<Item>(lists: Map<string, Item[]>, name: string, item: Item): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [item]);
  else list.push(item);
}

/**
 * Reorders tests: first one of each kind, by environment, stage, expectations, clock and unavailable sources; then the rest. The first
 * part usually covers as much as all tests. The order only affects how many tests are run.
 */
export function distinctTestsFirst(tests: readonly PreparedTest[]): readonly PreparedTest[] {
  const kinds = new Set<string>();
  const [first, rest]: [PreparedTest[], PreparedTest[]] = [[], []];
  for (const one of tests) {
    const { text: _text, redactions: _redactions, ...expected } = one.expected;
    const kind = JSON.stringify([one.policy.environment, one.stage, expected, one.test.unavailable, one.test.clock]);
    (kinds.has(kind) ? rest : first).push(one);
    kinds.add(kind);
  }
  return [...first, ...rest];
}

function placeOf(environment: Environment, stage: Stage): string {
  return `${environment} ${stage}`;
}

/** The coverage by the tests of one environment. */
class Seen {
  readonly fired = new Set<string>();
  readonly rested = new Set<string>();
  readonly unknown = new Set<string>();
  readonly softened = new Set<string>();
  readonly bitAgain = new Set<string>();
  readonly found = new Set<string>();
  readonly leftAlone = new Set<string>();
  /** Detectors whose findings are recorded; the others are skipped because they may have hundreds of codes. */
  readonly watched = new Set<string>();
  /** The rule id of each leaf name, cached because the same leaves occur in every test. */
  private readonly ruleOf = new Map<string, string>();
  private readonly allowing: ReadonlySet<string>;

  constructor({ rules }: CompiledPolicy) {
    this.allowing = new Set(rules.flatMap(({ id, action }) => (action === 'allow' ? [id] : [])));
  }

  add(result: PolicyTestResult, test: PreparedTest): void {
    if (result.status === 'skipped' || result.decision === undefined) return;
    const { policy } = test;
    this.look(test);
    const { decision, stages = [] } = result;
    for (const leaf of unknownLeaves(policy, decision, stages)) this.unknown.add(this.ruleOfLeaf(leaf));
    const judged = new Set<string>();
    for (const [leaf, truth] of Object.entries(decision.leaves)) {
      const id = this.ruleOfLeaf(leaf);
      if (!this.allowing.has(id)) judged.add(id);
      // Allow rules never fire, so it is enough that one of their conditions was true in a test, and one was false.
      else if (truth !== null) (truth ? this.fired : this.rested).add(id);
    }
    const firing = new Map(decision.fired.map((rule) => [rule.rule, rule]));
    for (const id of judged) {
      const rule = firing.get(id);
      if (rule === undefined) this.rested.add(id);
      else if (!rule.unavailable) this.fired.add(id);
    }
    for (const id of decision.exceptions) this.softened.add(id);
    for (const { id, rules, expiresAtMs } of policy.exceptions) {
      const bites = rules.some((rule) => firing.get(rule)?.enforced === true);
      if (bites && result.clockMs >= expiresAtMs) this.bitAgain.add(id);
    }
  }

  private ruleOfLeaf(leaf: string): string {
    const known = this.ruleOf.get(leaf);
    if (known !== undefined) return known;
    const id = leaf.slice(0, leaf.lastIndexOf('#'));
    this.ruleOf.set(leaf, id);
    return id;
  }

  /** Records the codes that detectors found in the texts of a test's call. */
  private look({ policy: { detectors }, gathered: { reading, requestOutcomes } }: PreparedTest): void {
    if (this.watched.size === 0) return;
    for (const outcome of [...reading.outcomes, ...requestOutcomes]) {
      if (outcome.status !== 'scanned') continue;
      const codes = new Set(outcome.findings.map(({ code }) => code));
      if (!this.watched.has(outcome.detector)) continue;
      const looked = detectors.find(({ key }) => key === outcome.detector)?.codes ?? [];
      for (const code of looked) (codes.has(code) ? this.found : this.leftAlone).add(`${outcome.detector}/${code}`);
    }
  }
}

/** G202: the policy's own patterns and words need tests; Weir tests all other detectors itself. */
function wantedPatterns(policy: CompiledPolicy, seen: Seen, plugins: PluginCatalog): Wanted[] {
  const { environment, sources, detectors } = policy;
  return detectors
    .filter((binding) => runsInEveryTest(binding, plugins))
    .flatMap(({ key, codes }) =>
      codes.flatMap((code): Wanted[] => {
        const name = `${key}/${code}`;
        const written = ['patterns', 'lists'].map((option) => sources.settings[`detectors.${key}.${option}.${code}`]);
        const at = written.find((one) => one !== undefined) ?? sources.settings[`detectors.${key}`];
        if (at === undefined) return [];
        seen.watched.add(key);
        const wanted = (shown: ReadonlySet<string>, message: string, hint: string): Wanted => ({
          key: ['G202', at.file, at.line, key, code, message].join('\n'),
          stages: new Set(STAGES),
          environment,
          isDone: () => shown.has(name),
          remark: remark('G202', at, message, hint),
        });
        return [
          wanted(seen.found, `no test has a text in which "${key}" finds ${code}`, `text: '… {{${code}:a sample}} …'`),
          wanted(
            seen.leftAlone,
            `no test has a text in which "${key}" finds no ${code}`,
            'a pattern that matches everything would pass all tests',
          ),
        ];
      }),
    );
}

function wantedOf(policy: CompiledPolicy, seen: Seen): Wanted[] {
  const { environment, sources, rules, exceptions } = policy;
  const stageOf = (rule: string): Stage[] => rules.flatMap(({ id, stage }) => (id === rule ? [stage] : []));
  const ofRule = (
    code: 'G200' | 'G201' | 'G210',
    id: string,
    shown: ReadonlySet<string>,
    [message, hint]: readonly [string, string],
  ): Wanted => {
    const { at } = sources.rules[id]!;
    const key = [code, at.file, at.line, id].join('\n');
    const isDone = (): boolean => shown.has(id);
    return { key, stages: new Set(stageOf(id)), environment, isDone, remark: remark(code, at, message, hint) };
  };
  const ofException = (id: string, softens: readonly string[]): Wanted => {
    const { at } = sources.exceptions[id]!;
    return {
      key: ['G211', at.file, at.line, id].join('\n'),
      stages: new Set(softens.flatMap(stageOf)),
      environment,
      isDone: () => seen.softened.has(id) && seen.bitAgain.has(id),
      remark: remark(
        'G211',
        at,
        `no tests show that the exception "${id}" has an effect, and that its rule applies again after the expiry`,
        'add two tests: one before `expires`, and one with a `clock:` after it',
      ),
    };
  };
  return [
    ...rules.flatMap(({ id, action }): Wanted[] => {
      // Weir tests built-in rules itself.
      if (isBuiltIn(sources.rules[id]!.at.file)) return [];
      const unknown = [
        `no test covers "${id}" when a fact that it reads is unavailable`,
        'add a test with "unavailable: [<detector>]"',
      ] as const;
      return [
        ofRule('G200', id, seen.fired, [`no test makes "${id}" fire`, `expect: { action: …, rules: [${id}] }`]),
        ofRule('G201', id, seen.rested, [
          `no test at the stage of "${id}" shows a case in which the rule does not match`,
          'a rule that matches everything would pass all tests',
        ]),
        ...(action === 'block' && canBeUnknown(policy, id) ? [ofRule('G210', id, seen.unknown, unknown)] : []),
      ];
    }),
    ...exceptions.map(({ id, rules: softened }) => ofException(id, softened)),
  ];
}

/** Base facts are always known, or known to be absent; facts of detectors, plugins and budgets may be unknown. */
function canBeUnknown({ stages, rules, facts }: CompiledPolicy, id: string): boolean {
  const rule = rules.find((one) => one.id === id)!;
  const engineRule = stages[rule.stage].asWritten.find(({ name }) => name === id);
  return engineLeaves(engineRule?.conditions ?? {})
    .flatMap(factsOfLeaf)
    .some(({ fact, path }) => {
      const name = path === undefined ? fact : `${fact}.${path}`;
      return findFact(facts, name) !== undefined && !BASE_FACTS.includes(findFact(facts, name)!);
    });
}
