import { isInRollout } from '../../core/decision/rollout.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { FactDefinition, FactValue, Stage } from '../../core/model/fact.js';
import { rootsOf } from '../../core/detection/bind-structures.js';
import { CLOCK_ROOT, withClock } from '../../core/facts/clock-facts.js';
import { readFact, splitFactName } from '../../core/facts/read-path.js';
import { findFact } from '../../core/facts/registry.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { eachFactAlone } from './compared-facts.js';
import { detectorVariable } from './detector-variable.js';
import { derivedFacts, type DerivedFact } from './derived-facts.js';
import {
  callListCandidates,
  flowCandidates,
  flowSource,
  flowTarget,
  setCandidates,
  targetNames,
} from './list-values.js';
import { readLeaves, type ReadLeaf } from './read-leaves.js';
import type { Setting, Variable } from './request.js';
import { scalarCandidates, type Candidates } from './scalar-values.js';
import { representatives } from './subsets.js';
import { triedValues } from './tried-values.js';
import { usageVariable } from './usage-variable.js';

/** Names of variables that are not facts. */
export const CLOCK = CLOCK_ROOT;
export const CLIENT = 'monitor_mode';
const KEY_ID = 'key.id';
/** Prefix of the variables for used and reserved amounts, followed by the budget id. */
const USAGE = 'budgets.';

/** The variables of a request of one stage that some policy reads, and the rules that read them. */
export interface RequestSpace {
  readonly stage: Stage;
  readonly variables: ReadonlyMap<string, Variable>;
  /** Names of variables by their reader: a rule id, or `exception:<id>`. */
  readonly readBy: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A plugin that derives facts. */
interface FactPlugin {
  readonly id: string;
  readonly roots: readonly string[];
  readonly reads: 'call' | 'ledger';
}

interface Reader {
  readonly policy: CompiledPolicy;
  readonly leaves: readonly ReadLeaf[];
}

interface Outside {
  readonly plugins: PluginCatalog;
  readonly nowMs: number;
  /** Texts in which the findings differ between the policies, by detector key. */
  readonly texts?: ReadonlyMap<string, readonly Setting[]>;
}

/**
 * The variables of one stage for the given policies: boundary values of each fact in conditions, states of each detector, and inputs of
 * exceptions, rollouts and monitor mode.
 */
export function spaceOf(policies: readonly CompiledPolicy[], stage: Stage, outside: Outside): RequestSpace {
  const read = policies.map((policy) => ({ policy, leaves: readLeaves(policy, stage) }));
  const all = read.flatMap(({ leaves }) => leaves);
  const readers = read.map(({ policy, leaves }): Reader => ({ policy, leaves: eachFactAlone(leaves, all, policies) }));
  const builder = new SpaceBuilder(stage, readers, outside);
  return { stage, variables: builder.variables(), readBy: builder.readBy };
}

class SpaceBuilder {
  readonly readBy = new Map<string, Set<string>>();
  private readonly made = new Map<string, Variable>();
  private readonly following: readonly DerivedFact[];
  /** The plugin that derives a fact, by the root of the fact's name. */
  private readonly pluginOf = new Map<string, FactPlugin>();

  constructor(
    private readonly stage: Stage,
    private readonly readers: readonly Reader[],
    private readonly outside: Outside,
  ) {
    this.following = derivedFacts(outside.plugins);
    const { structures, ledgers } = outside.plugins;
    for (const plugin of structures) this.knows({ id: plugin.meta.id, roots: rootsOf(plugin), reads: 'call' });
    for (const { meta, root } of ledgers) this.knows({ id: meta.id, roots: [root], reads: 'ledger' });
  }

  private knows(plugin: FactPlugin): void {
    for (const root of plugin.roots) this.pluginOf.set(root, plugin);
  }

  variables(): ReadonlyMap<string, Variable> {
    for (const { leaves } of this.readers) {
      for (const leaf of leaves) this.note(leaf.owner, this.variableNames(leaf.fact));
    }
    this.addRedactions();
    this.addRollouts();
    for (const name of new Set([...this.readBy.values()].flatMap((names) => [...names]))) this.make(name);
    this.addClock();
    this.addClient();
    return this.made;
  }

  private note(owner: string, names: readonly string[]): void {
    const known = this.readBy.get(owner) ?? new Set();
    for (const name of names) known.add(name);
    this.readBy.set(owner, known);
  }

  /** The variables on which a fact depends: its value, and the availability of its plugin. */
  private variableNames(fact: string): string[] {
    const { root, path } = splitFactName(fact);
    if (root === CLOCK) return [CLOCK];
    if (this.isDetector(root)) return [root];
    const plugin = this.pluginOf.get(root);
    if (plugin === undefined) return [fact];
    if (plugin.reads === 'ledger') return [`${USAGE}${path[0]!}`, plugin.id];
    const decidedBy = this.following.find((one) => one.fact === fact)?.from;
    if (decidedBy !== undefined) return [decidedBy, plugin.id];
    return fact === 'flow' ? ['flow', 'tool.name', plugin.id] : [fact, plugin.id];
  }

  private isDetector(key: string): boolean {
    return this.readers.some(({ policy }) => policy.detectors.some((binding) => binding.key === key));
  }

  /** Notes the detectors whose codes redact rules mask: the masks depend on the findings, even if no condition reads them. */
  private addRedactions(): void {
    for (const { policy } of this.readers) {
      for (const { id, stage, redact } of policy.rules) {
        if (stage === this.stage && redact !== undefined)
          this.note(
            id,
            redact.targets.map(({ detector }) => detector),
          );
      }
    }
  }

  private addRollouts(): void {
    for (const { policy } of this.readers) {
      for (const { id, stage, rolloutPercent } of policy.rules) {
        if (stage === this.stage && rolloutPercent !== undefined) this.note(id, [KEY_ID]);
      }
    }
  }

  private make(name: string): void {
    if (this.made.has(name) || name === CLOCK) return;
    if (this.isDetector(name)) {
      const variable = detectorVariable(name, this.detectorReaders(name));
      const texts = this.outside.texts?.get(name) ?? [];
      this.made.set(name, { ...variable, settings: [...variable.settings, ...texts] });
    } else if (name.startsWith(USAGE)) this.made.set(name, this.usage(name));
    else {
      const plugin = [...this.pluginOf.values()].find(({ id }) => id === name);
      this.made.set(name, plugin === undefined ? this.fact(name) : availability(plugin));
    }
  }

  private usage(name: string): Variable {
    const readers = this.readers.map(({ policy, leaves }) => ({
      policy,
      leaves: leaves.filter(({ fact }) => this.variableNames(fact)[0] === name),
    }));
    return usageVariable(name, name.slice(USAGE.length), readers, this.outside.plugins);
  }

  private detectorReaders(key: string) {
    return this.readers.map(({ policy, leaves }) => ({
      policy,
      leaves: leaves.filter(({ fact }) => splitFactName(fact).root === key),
      masks: policy.rules.flatMap(({ id, stage, redact }) =>
        stage !== this.stage || redact === undefined
          ? []
          : [{ rule: id, codes: redact.targets.filter(({ detector }) => detector === key).map(({ code }) => code) }],
      ),
    }));
  }

  private fact(name: string): Variable {
    const leaves = this.readers.flatMap((reader) => reader.leaves);
    const own = leaves.filter(({ fact }) => fact === name);
    const flows = name === 'tool.name' ? leaves.filter(({ fact }) => fact === 'flow') : [];
    const decided = this.decidedBy(name);
    const definition = this.definition(name);
    const { values, sampled } = candidatesOf(definition, own);
    const ends = flows.length > 0 ? targetNames(flows) : { values: [], sampled: false };
    const all = [
      ...values,
      ...ends.values,
      ...(name === KEY_ID ? this.rolloutKeys() : []),
      ...decided.flatMap(({ following }) => this.readers.flatMap(({ policy }) => following.examples(policy))),
    ];
    const asking = this.distinct(own);
    const ofEach = this.readers.map((reader) => reader.leaves.filter(({ fact }) => fact === name));
    const tried = triedValues(all, asking, ofEach, (some) => candidatesOf(definition, some).values);
    const [source, targets] = [flowSource(name === 'flow' ? own : []), flows.map(flowTarget)];
    const kept = representatives(tried.values, (value) =>
      JSON.stringify([
        asking.map((leaf) => (name === 'flow' ? source(leaf, value) : leaf.truth(value))),
        targets.map((target) => target(value)),
        decided.map(({ truths }) => truths(value)),
        name === KEY_ID ? this.rollouts().map((rule) => isInRollout(rule, value)) : [],
      ]),
    );
    return {
      name,
      sampled: sampled || tried.sampled || ends.sampled || own.some(({ isSampled }) => isSampled === true),
      settings: kept.map(({ item, alike }) => ({
        part: { kind: 'facts', facts: { [name]: item }, ...followers(decided, item) },
        alike: [...new Set(alike)].filter(
          (value) => typeof value === 'string' && value !== item && isNamed(value, own),
        ) as string[],
      })),
    };
  }

  /** Drops duplicates: conditions that two policies share, and that have the same result in both. */
  private distinct(leaves: readonly ReadLeaf[]): readonly ReadLeaf[] {
    const lists = this.readers.map(({ policy }) => policy.lists);
    if (!lists.every((one) => one === lists[0])) return leaves;
    const known = new Set<unknown>();
    return leaves.filter(({ source, compared }) => {
      if (compared !== undefined) return true;
      const isNew = !known.has(source);
      known.add(source);
      return isNew;
    });
  }

  /** The facts derived from this one that some condition reads. */
  private decidedBy(name: string): Decided[] {
    return this.following.flatMap((following) => {
      const leavesBy = this.readers.map(({ policy, leaves }) => ({
        policy,
        leaves: leaves.filter(({ fact }) => fact === following.fact),
      }));
      if (following.from !== name || leavesBy.every(({ leaves }) => leaves.length === 0)) return [];
      const truths = (value: FactValue | undefined): unknown =>
        leavesBy.map(({ policy, leaves }) => {
          const decided = typeof value === 'string' ? following.of(value, policy) : undefined;
          return leaves.map((leaf) => leaf.truth(decided));
        });
      return [{ following, truths }];
    });
  }

  private definition(name: string): FactDefinition {
    for (const { policy } of this.readers) {
      const definition = findFact(policy.facts, name);
      if (definition !== undefined) return definition;
    }
    throw new Error(`no policy knows the fact "${name}"`);
  }

  private rollouts() {
    return this.readers.flatMap(({ policy }) =>
      policy.rules.filter(({ stage, rolloutPercent }) => stage === this.stage && rolloutPercent !== undefined),
    );
  }

  /** Enough key ids for both sides of every rollout. */
  private rolloutKeys(): string[] {
    return this.rollouts().length === 0 ? [] : Array.from({ length: 400 }, (_, index) => `key-${index + 1}`);
  }

  /**
   * Instants to try: for exceptions of this stage's rules the current time, the exception's end, and the millisecond before the end, unless
   * they are past. For conditions on the hour or weekday also an instant for each combination of their results within a week.
   */
  private addClock(): void {
    const instants = new Set<number>();
    const ends = new Set<number>();
    for (const { policy } of this.readers) {
      for (const { id, rules, expiresAtMs } of policy.exceptions) {
        if (!policy.rules.some((rule) => rule.stage === this.stage && rules.includes(rule.id))) continue;
        this.note(`exception:${id}`, [CLOCK]);
        for (const instant of [this.outside.nowMs, expiresAtMs - 1, expiresAtMs]) {
          if (instant >= this.outside.nowMs) instants.add(instant);
        }
        if (expiresAtMs >= this.outside.nowMs) ends.add(expiresAtMs);
      }
    }
    const asked = this.instantsOfWeeks([this.outside.nowMs, ...ends]);
    for (const instant of asked) instants.add(instant);
    const isAsked = asked.length > 0;
    if (instants.size === 0) return;
    const settings = [...instants]
      .sort((a, b) => b - a)
      .map((nowMs): Setting => ({ part: { kind: 'clock', nowMs, isAsked }, alike: [] }));
    this.made.set(CLOCK, { name: CLOCK, settings, sampled: false });
  }

  /** Instants that conditions on the time distinguish, within a week after each of the given instants. */
  private instantsOfWeeks(beginnings: readonly number[]): number[] {
    const leaves = this.readers.flatMap((reader) => reader.leaves.filter(({ fact }) => isOfClock(fact)));
    if (leaves.length === 0) return [];
    const names = [...new Set(leaves.map(({ fact }) => splitFactName(fact).path.join('.')))];
    const instants = beginnings.flatMap((beginning) =>
      Array.from({ length: QUARTERS_OF_A_WEEK }, (_, index) => Math.ceil(beginning / QUARTER_MS + index) * QUARTER_MS),
    );
    return representatives(instants, (instant) => {
      const facts = withClock({}, names, instant);
      const ended = beginnings.map((beginning) => instant >= beginning);
      return JSON.stringify([ended, leaves.map((leaf) => leaf.truth(readFact(facts, leaf.fact)))]);
    }).map(({ item }) => item);
  }

  private addClient(): void {
    if (!this.readers.some(({ policy }) => policy.clientMonitorMode === 'honor')) return;
    const settings = [false, true].map((monitor): Setting => ({ part: { kind: 'client', monitor }, alike: [] }));
    this.made.set(CLIENT, { name: CLIENT, settings, sampled: false });
  }
}

/** Time zone offsets are multiples of a quarter of an hour. */
const QUARTER_MS = 15 * 60_000;
const QUARTERS_OF_A_WEEK = 7 * 24 * 4;

function isOfClock(fact: string): boolean {
  return splitFactName(fact).root === CLOCK;
}

interface Decided {
  readonly following: DerivedFact;
  /** Results of the conditions on the derived fact, per policy. */
  truths(value: FactValue | undefined): unknown;
}

function followers(
  decided: readonly Decided[],
  value: FactValue | undefined,
): Pick<Extract<Setting['part'], { kind: 'facts' }>, 'follows'> {
  if (decided.length === 0 || typeof value !== 'string') return {};
  return {
    follows: (policy) =>
      Object.fromEntries(
        decided.flatMap(({ following: { fact, of } }) => {
          const known = of(value, policy);
          return known === undefined ? [] : [[fact, known]];
        }),
      ),
  };
}

function candidatesOf(definition: FactDefinition, leaves: readonly ReadLeaf[]): Candidates {
  switch (definition.type) {
    case 'string_set':
      return setCandidates(definition, leaves);
    case 'tool_calls':
    case 'tool_results':
      return callListCandidates(leaves);
    case 'flow':
      return flowCandidates(leaves);
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'any':
      return scalarCandidates(definition, leaves);
  }
}

function isNamed(value: string, leaves: readonly ReadLeaf[]): boolean {
  return leaves.some((leaf) => (Array.isArray(leaf.value) ? leaf.value.includes(value) : leaf.value === value));
}

function availability({ id, roots, reads }: FactPlugin): Variable {
  const reason = reads === 'ledger' ? 'unavailable' : 'failed';
  return {
    name: id,
    sampled: false,
    settings: [
      { part: { kind: 'answering' }, alike: [] },
      { part: { kind: 'down', source: id, roots, reason }, alike: [] },
    ],
  };
}
