import { DEFAULT_RULE_ID } from '../../core/decision/decide.js';
import { judgeStage, type StageToJudge } from '../../core/judge/index.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import { STAGES, type Stage } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import { changedRules, renamedRules } from './changed-rules.js';
import { dependentsOf, readOtherwise } from './dependents.js';
import { gridOf, type Grid } from './grid.js';
import { possible } from './invariants.js';
import { inputFor, haveSameFacts, type Request, type Setting } from './request.js';
import { CLIENT, CLOCK, spaceOf, type RequestSpace } from './variables.js';
import { compareTexts, type TextComparison } from './compare-texts.js';
import { directionOf, verdictOf, type Direction, type Verdict } from './verdict.js';
import { describeRequest, type DescribedRequest } from './describe-request.js';

export interface CompareOptions {
  readonly plugins: PluginCatalog;
  /** The time of requests in milliseconds since the epoch, unless exceptions or conditions need another time. */
  readonly nowMs: number;
  /** The maximum number of requests for each changed rule, and for the combinations of all variables. Default 2,000. */
  readonly maxRequests?: number;
  /** Whether to stop at the first change. */
  readonly first?: boolean;
  /** Called between requests: a host may yield to other work, or abort by throwing. */
  readonly pause?: () => Promise<void>;
  /** A cheaper check of whether both policies judge a request alike; if true, the request is skipped. */
  readonly isAlike?: (before: StageToJudge, after: StageToJudge) => Promise<boolean>;
}

/** One concrete request that the two policies judge differently. */
export interface VerdictChange {
  readonly stage: Stage;
  readonly direction: Direction;
  readonly before: Verdict;
  readonly after: Verdict;
  readonly request: DescribedRequest;
  /** Current ids of the rules that fire in only one of the policies, fire differently, or have another effect. */
  readonly rules: readonly string[];
}

/** The extent of the search at one stage. */
export interface SearchReport {
  readonly stage: Stage;
  readonly changedRules: readonly string[];
  readonly requests: number;
  /** Rules for which every combination of boundary values was tried. */
  readonly enumerated: readonly string[];
  /** Rules with too many combinations, of which only some were tried. */
  readonly sampled: readonly string[];
  /** Facts of which only some values were tried, because there are unlimited kinds of values (expressions, parts of texts, addresses). */
  readonly openFacts: readonly string[];
  /** Rules whose conditions on such a fact differ between the policies. */
  readonly openRules: readonly string[];
  /** True when every combination of all variables of the stage was tried, not only those of each rule. */
  readonly complete: boolean;
}

export interface PolicyComparison {
  /** Weaker changes first. */
  readonly changes: readonly VerdictChange[];
  readonly searched: readonly SearchReport[];
  /** Detectors with another plugin, version, revision or options that were not compared on texts. */
  readonly changedDetectors: readonly string[];
  /** The comparison of both versions on generated texts, for detectors with other options. */
  readonly texts: ReadonlyMap<string, TextComparison>;
  /** The rules that depend on each exception and list, by `exception <id>` and `list <name>`. */
  readonly dependents: ReadonlyMap<string, ReadonlySet<string>>;
}

const DEFAULT_MAX_REQUESTS = 2_000;

/** Returns only the changes of `comparePolicies`. */
export async function compareVerdicts(
  base: CompiledPolicy,
  next: CompiledPolicy,
  options: CompareOptions,
): Promise<readonly VerdictChange[]> {
  return (await comparePolicies(base, next, options)).changes;
}

/**
 * Finds requests whose verdict changes from one policy to the next, without any traffic: thresholds, list entries and detector states
 * of both versions give each fact a finite set of boundary values, and each rule reads few facts. For every rule that changed, both
 * policies judge all combinations of the facts that it reads, with the server's judge. All other variables are at rest: they have
 * values with which as few rules as possible fire. If there are few enough combinations of all variables, all are judged. The result
 * holds for this grid: `searched` reports what was enumerated and what was sampled.
 */
export async function comparePolicies(
  base: CompiledPolicy,
  next: CompiledPolicy,
  options: CompareOptions,
): Promise<PolicyComparison> {
  const changes: VerdictChange[] = [];
  const searched: SearchReport[] = [];
  const texts = await compareTexts(base, next, options.plugins);
  const other = new Set([...texts].flatMap(([key, { settings }]) => (settings.length > 0 ? [key] : [])));
  const settings = new Map([...texts].map(([key, one]) => [key, one.settings]));
  for (const stage of STAGES) {
    const rules = changedRules(base, next, stage, other);
    if (rules.length === 0) continue;
    const search = new StageSearch(base, next, stage, rules, { ...options, texts: settings });
    searched.push(await search.run());
    changes.push(...search.changes);
    if (options.first === true && changes.length > 0) break;
  }
  const order: Record<Direction, number> = { weaker: 0, stricter: 1, other: 2 };
  changes.sort((a, b) => order[a.direction] - order[b.direction]);
  const unread = changedDetectors(base, next).filter((key) => !texts.has(key));
  return { changes, searched, changedDetectors: unread, texts, dependents: dependentsOf(base, next) };
}

/** Returns one setting per variable of a stage; in a request with these settings, as few rules of the policy as possible fire. */
export function settingsAtRest(
  policy: CompiledPolicy,
  stage: Stage,
  options: CompareOptions,
): Promise<ReadonlyMap<string, Setting>> {
  return new StageSearch(policy, policy, stage, [], { ...options, texts: new Map() }).atRest();
}

function changedDetectors(base: CompiledPolicy, next: CompiledPolicy): string[] {
  const identity = ({ plugin, version, revision, options }: CompiledPolicy['detectors'][number]): string =>
    JSON.stringify([plugin, version, revision, options]);
  return next.detectors
    .filter((binding) => {
      const old = base.detectors.find(({ key }) => key === binding.key);
      return old !== undefined && identity(old) !== identity(binding);
    })
    .map(({ key }) => key);
}

class StageSearch {
  readonly changes: VerdictChange[] = [];
  private readonly space: RequestSpace;
  private readonly renamed: ReadonlyMap<string, string>;
  private readonly isPossible: ReturnType<typeof possible>;
  private readonly hasSameFacts: boolean;
  private readonly tried = new Set<string>();
  private readonly max: number;

  constructor(
    private readonly base: CompiledPolicy,
    private readonly next: CompiledPolicy,
    private readonly stage: Stage,
    private readonly changed: readonly string[],
    private readonly options: CompareOptions & { readonly texts: ReadonlyMap<string, readonly Setting[]> },
  ) {
    this.space = spaceOf([base, next], stage, options);
    this.renamed = renamedRules(base, next);
    this.isPossible = possible(base, next);
    this.hasSameFacts = haveSameFacts(base, next, stage);
    this.max = options.maxRequests ?? DEFAULT_MAX_REQUESTS;
  }

  async run(): Promise<SearchReport> {
    const rest = await this.atRest();
    const enumerated: string[] = [];
    const sampled: string[] = [];
    for (const rule of this.changed) {
      const grid = gridOf(this.variablesOf(rule), rest, this.max);
      (grid.complete ? enumerated : sampled).push(rule);
      await this.tryAll(grid);
      if (this.isDone) break;
    }
    const all = gridOf([...this.space.variables.values()], rest, this.max);
    const complete = all.complete && !this.isDone;
    if (complete) await this.tryAll(all, true);
    const read = new Set(this.changed.flatMap((rule) => this.variablesOf(rule).map(({ name }) => name)));
    return {
      stage: this.stage,
      changedRules: this.changed,
      requests: this.tried.size,
      enumerated,
      sampled,
      openFacts: [...this.space.variables.values()]
        .filter(({ name, sampled: open }) => open && read.has(name))
        .map(({ name }) => name),
      openRules: this.changed.filter((rule) => this.isOpen(rule)),
      complete,
    };
  }

  private get isDone(): boolean {
    return this.options.first === true && this.changes.length > 0;
  }

  /** The variables that a rule reads in either version, including the variables of exceptions that name the rule, and monitor mode. */
  private variablesOf(rule: string) {
    const names = new Set<string>();
    for (const owner of this.ownersOf(rule)) {
      if (owner.startsWith(exceptionRuleName(''))) names.add(CLOCK);
      for (const name of this.space.readBy.get(owner) ?? []) names.add(name);
    }
    if (this.base.clientMonitorMode !== this.next.clientMonitorMode) names.add(CLIENT);
    return [...names].flatMap((name) => this.space.variables.get(name) ?? []);
  }

  /** A rule under its ids in both policies, or the rules that allow, with the exceptions that name them. */
  private ownersOf(rule: string): ReadonlySet<string> {
    const own = rule === DEFAULT_RULE_ID ? this.allowRules() : [rule, ...this.formerIds(rule)];
    const about = [...this.base.exceptions, ...this.next.exceptions].filter(({ rules }) =>
      rules.some((id) => own.includes(id)),
    );
    return new Set([...own, ...about.map(({ id }) => exceptionRuleName(id))]);
  }

  private isOpen(rule: string): boolean {
    const open = this.variablesOf(rule).flatMap(({ name, sampled }) => (sampled ? [name] : []));
    return open.length > 0 && readOtherwise([this.base, this.next], this.stage, this.ownersOf(rule), open);
  }

  private formerIds(rule: string): string[] {
    return [...this.renamed].flatMap(([old, now]) => (now === rule ? [old] : []));
  }

  private allowRules(): string[] {
    const ids = [this.base, this.next].flatMap(({ rules }) =>
      rules.filter(({ stage, action }) => stage === this.stage && action === 'allow').map(({ id }) => id),
    );
    return [...new Set(ids)];
  }

  /** Finds one setting per variable so that as few rules as possible fire, by changing one variable at a time. */
  async atRest(): Promise<Map<string, Setting>> {
    const settings = new Map([...this.space.variables].map(([name, { settings }]) => [name, settings[0]!]));
    let least = await this.firing(settings);
    for (let round = 0; round < 3 && least > 0; round++) {
      const before = least;
      for (const variable of this.space.variables.values()) {
        for (const setting of variable.settings) {
          const count = await this.firing(new Map(settings).set(variable.name, setting));
          await this.options.pause?.();
          if (count >= least) continue;
          least = count;
          settings.set(variable.name, setting);
        }
      }
      if (least === before) break;
    }
    return settings;
  }

  private async firing(settings: ReadonlyMap<string, Setting>): Promise<number> {
    let count = 0;
    for (const policy of [this.base, this.next]) {
      const input = inputFor({ stage: this.stage, settings }, policy, this.options.nowMs);
      if (!this.isPossible(input.facts)) return Infinity;
      const { fired } = await judgeStage(policy, input);
      count += fired.reduce((sum, { action }) => sum + (action === 'block' ? 1_000 : 1), 0);
    }
    return count;
  }

  private async tryAll({ points }: Grid, onlyNews = false): Promise<void> {
    for (const settings of points()) {
      await this.tryOne({ stage: this.stage, settings }, onlyNews);
      if (this.isDone) return;
      await this.options.pause?.();
    }
  }

  private async tryOne(request: Request, onlyNews: boolean): Promise<void> {
    const before = inputFor(request, this.base, this.options.nowMs);
    const after = this.hasSameFacts ? before : inputFor(request, this.next, this.options.nowMs);
    const identity = JSON.stringify(this.hasSameFacts ? before : [before, after]);
    if (this.tried.has(identity)) return;
    this.tried.add(identity);
    if (!this.isPossible(before.facts) || (after !== before && !this.isPossible(after.facts))) return;
    if ((await this.options.isAlike?.(before, after)) === true) return;
    const old = verdictOf(await judgeStage(this.base, before), before.facts, this.renamed);
    const now = verdictOf(await judgeStage(this.next, after), after.facts, new Map());
    const direction = directionOf(old, now);
    if (direction === undefined) return;
    const rules = this.rulesOf(old, now);
    const isKnown = this.changes.some(
      (change) =>
        change.direction === direction && change.rules.join() === rules.join() && sameOutcome(change, old, now),
    );
    if (onlyNews && isKnown) return;
    const described = describeRequest(request, this.base, this.options.nowMs, this.shown(rules));
    this.changes.push({ stage: this.stage, direction, before: old, after: now, request: described, rules });
  }

  /**
   * The rules that fire differently in the two verdicts. If there are none, the changed rules that fire: only their masks or reason
   * differ.
   */
  private rulesOf(old: Verdict, now: Verdict): string[] {
    const rules = differing(old, now);
    if (rules.length > 0) return rules;
    const fired = new Set([...ways(old), ...ways(now)].map(ruleOf));
    return this.changed.filter((id) => fired.has(id));
  }

  /** The variables to describe: those of the rules that account for the change. */
  private shown(rules: readonly string[]): ReadonlySet<string> {
    const owners = rules.length === 0 ? this.changed : rules;
    return new Set(owners.flatMap((rule) => this.variablesOf(rule).map(({ name }) => name)));
  }
}

function sameOutcome(change: VerdictChange, before: Verdict, after: Verdict): boolean {
  return change.before.action === before.action && change.after.action === after.action;
}

/** Rules that fire in only one verdict, or differently. */
function differing(before: Verdict, after: Verdict): string[] {
  const [a, b] = [new Set(ways(before)), new Set(ways(after))];
  const changed = [...a].filter((way) => !b.has(way)).concat([...b].filter((way) => !a.has(way)));
  return [...new Set(changed.map(ruleOf))].sort();
}

const ruleOf = (way: string): string => way.split(':', 1)[0]!;

function ways({ enforced, reported }: Verdict): string[] {
  return [...enforced, ...reported.map((way) => `${way} (reported)`)];
}
