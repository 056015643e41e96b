import { Engine } from 'json-rules-engine';
import type { JsonValue } from '../model/call.js';
import type { PluginCatalog } from '../detection/catalog.js';
import { STAGES, type Stage } from '../model/fact.js';
import { factRegistry } from '../facts/registry.js';
import { canonicalJson } from '../json/canonical-json.js';
import { bindingSources, type BoundSource } from './bind-detectors.js';
import { bindStructureSources, isStructureSource, readersOf, type BoundStructureSource } from './bind-structures.js';
import { compileBudget, compilePrices } from './compile-budgets.js';
import { compileException, type ExceptionSource, type RuleIds } from './compile-exceptions.js';
import { compileRetention } from './compile-retention.js';
import { compileRule, type RuleContext, type RuleSource } from './compile-rules.js';
import type {
  BudgetDefinition,
  CompiledPolicy,
  Environment,
  PolicyProblem,
  StageRules,
} from '../model/compiled-policy.js';
import { isBuiltIn } from './built-in/index.js';
import { readDocuments, type PolicyDocument, type PolicyFile } from './documents.js';
import { engineRule, exceptionRuleName } from './engine-rules.js';
import { comparisonLimits } from './override-strength.js';
import { formerIds } from './overrides.js';
import { parseCondition } from './parse-condition.js';
import { resolveFact } from './parse-leaf.js';
import { resolveDocuments, type DetectorSource, type ResolvedPolicy } from './resolve.js';
import { valueOf, type Node, type Span } from './source/node.js';
import { readFileOnce } from './source/known-reading.js';
import { Problems } from './source/problems.js';
import { RuleExpressions } from './rule-expressions.js';
import { sourcesOf } from './sources.js';

export interface CompileInput {
  readonly environment: Environment;
  /** Every file of the environment's folder, and the files that they extend. */
  readonly files: readonly PolicyFile[];
  /** The environment's own files; by default every file outside folders whose names start with `_`. */
  readonly entry?: readonly string[];
  readonly plugins: PluginCatalog;
}

export interface CompileResult {
  /** Set if and only if no problem is an error. */
  readonly policy?: CompiledPolicy;
  /** All problems, sorted by file, line and column. */
  readonly problems: PolicyProblem[];
}

const UNREAD_ANSWERS = ['refuse', 'flag', 'pass'] as const;

/**
 * Default deadlines for the detectors of a stage, after which they count as unavailable. A policy overrides them with
 * `stages.<stage>.deadline_ms`.
 */
const DEFAULT_DEADLINE_MS: Readonly<Record<Stage, number>> = { pre: 250, post: 400, tool: 150 };

/**
 * Compiles the policy of one environment: YAML with positions, form, `extends` and overrides, types, negation normal form,
 * json-rules-engine rules, canonical JSON. Pure and deterministic: the same files give the same `canonical`, regardless of
 * their names and order. Does not throw, whatever the files contain.
 */
export function compilePolicy(input: CompileInput): CompileResult {
  const steps = compileFiles(input);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** `compilePolicy` in steps: yields after each piece of work, so that a host that serves calls can handle them in between. */
export function* compileInSteps(input: CompileInput): Generator<void, CompileResult> {
  for (const file of input.files) {
    readFileOnce(file);
    yield;
  }
  return yield* compileFiles(input);
}

function* compileFiles(input: CompileInput): Generator<void, CompileResult> {
  const problems = new Problems();
  const documents = readDocuments(input, problems);
  yield;
  const policy = documents === undefined ? undefined : yield* compileDocuments(documents, input, problems);
  // Authors cannot change built-in policies, so warnings about those files are not reported to them.
  const sorted = problems.sorted().filter(({ level, file }) => level === 'error' || !isBuiltIn(file));
  return policy === undefined || problems.hasErrors ? { problems: sorted } : { policy, problems: sorted };
}

const RULES_IN_ONE_PIECE = 50;

function* compileDocuments(
  documents: readonly PolicyDocument[],
  { environment, plugins }: CompileInput,
  problems: Problems,
): Generator<void, CompiledPolicy | undefined> {
  const resolved = resolveDocuments(documents, problems);
  yield;
  const settings = readSettings(resolved);
  const givesOptions = (source: DetectorSource): boolean => isStructureSource(source, plugins);
  const detectorSources = resolved.detectors.filter((source) => !givesOptions(source));
  const detectors = yield* bindingSources(detectorSources, plugins, problems);
  const structures = bindStructureSources(resolved.detectors.filter(givesOptions), plugins, problems);
  const capped = settings.defaultMaxTokens !== undefined;
  const budgets = resolved.budgets.flatMap((budget) => compileBudget(budget, capped, problems) ?? []);
  const prices = compilePrices(resolved, problems);
  const retention = compileRetention(resolved, problems);
  const context = ruleContext({ resolved, settings, environment, plugins, detectors, budgets, problems });
  yield;
  checkNamedConditions(resolved, context);
  const rules: RuleSource[] = [];
  for (const [index, rule] of resolved.rules.entries()) {
    const compiled = compileRule(rule, context);
    if (compiled !== undefined) rules.push(compiled);
    if (index % RULES_IN_ONE_PIECE === RULES_IN_ONE_PIECE - 1) yield;
  }
  yield;
  const ids = checkRuleIds(resolved, problems);
  const byId = new Map(rules.toReversed().map((source) => [source.rule.id, source]));
  const exceptions = resolved.exceptions.flatMap((item) => compileException(item, byId, ids, context) ?? []);
  if (resolved.rules.length === 0) problems.addFile('G001', documents.at(-1)!.path, 'the policy has no rule');
  if (problems.hasErrors) return undefined;
  yield;
  const policy = yield* assemble({
    resolved,
    settings,
    environment,
    detectors,
    structures,
    budgets,
    prices,
    retention,
    context,
    rules,
    exceptions,
  });
  return { ...policy, readers: readersOf(policy, plugins) };
}

type Settings = ReturnType<typeof readSettings>;

/** Reads the settings of the whole policy. Their form was checked with the documents; missing settings get safe defaults. */
function readSettings({ setting }: ResolvedPolicy) {
  const word = (...path: string[]): unknown => {
    const node = setting(...path);
    return node?.kind === 'scalar' ? node.value : undefined;
  };
  const choose = <const Word extends string>(value: unknown, words: readonly Word[], fallback: Word): Word =>
    words.find((candidate) => candidate === value) ?? fallback;
  const amount = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);
  const maxTokens = word('default_max_tokens');
  const onUnknown = word('defaults', 'on_unknown');
  return {
    default: choose(word('default'), ['allow', 'block'], 'block'),
    monitor: word('mode') === 'monitor',
    clientMonitorMode: choose(word('client_monitor_mode'), ['honor', 'ignore'], 'ignore'),
    content: choose(word('content'), ['redacted', 'full', 'none'], 'redacted'),
    media: choose(word('media'), UNREAD_ANSWERS, 'pass'),
    unread: {
      governed: choose(word('unread', 'governed'), UNREAD_ANSWERS, 'refuse'),
      other: choose(word('unread', 'other'), UNREAD_ANSWERS, 'flag'),
    },
    unmaskable: {
      documents: choose(word('unmaskable', 'documents'), ['refuse', 'flag'], 'refuse'),
      signed: choose(word('unmaskable', 'signed'), ['refuse', 'flag'], 'refuse'),
    },
    onDisconnect: choose(word('on_disconnect'), ['abort', 'drain'], 'abort'),
    onBlockedHistory: choose(word('on_blocked_history'), ['refuse', 'drop', 'replace'], 'refuse'),
    defaultMaxTokens: typeof maxTokens === 'number' ? maxTokens : undefined,
    onUnknown: onUnknown === 'match' || onUnknown === 'no_match' ? onUnknown : undefined,
    deadlineMs: {
      pre: amount(word('stages', 'pre', 'deadline_ms'), DEFAULT_DEADLINE_MS.pre),
      post: amount(word('stages', 'post', 'deadline_ms'), DEFAULT_DEADLINE_MS.post),
      tool: amount(word('stages', 'tool', 'deadline_ms'), DEFAULT_DEADLINE_MS.tool),
    },
  } as const;
}

interface ContextParts {
  readonly resolved: ResolvedPolicy;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly plugins: PluginCatalog;
  readonly detectors: readonly BoundSource[];
  readonly budgets: readonly BudgetDefinition[];
  readonly problems: Problems;
}

function ruleContext({
  resolved,
  settings,
  environment,
  plugins,
  detectors,
  budgets,
  problems,
}: ContextParts): RuleContext {
  const bindings = detectors.map(({ binding }) => binding);
  const facts = factRegistry(bindings, plugins, budgets);
  const keys = new Set(resolved.detectors.map(({ key }) => key));
  const declared = new Map(detectors.map((source) => [source.binding.key, source.declared]));
  return {
    facts,
    detectors,
    environment,
    problems,
    defaultOnUnknown: settings.onUnknown,
    isPolicyMonitored: settings.monitor,
    isDefaultBlock: settings.default === 'block',
    comparison: comparisonLimits(),
    conditions: {
      facts,
      problems,
      size: { conditions: 0 },
      expressions: new RuleExpressions(),
      lists: resolved.lists,
      conditions: resolved.conditions,
      declaredCodes: (detector) => declared.get(detector) ?? [],
      broken: resolved.detectors.map(({ key }) => key).filter((key) => !declared.has(key)),
      dormant: plugins.detectors.map(({ meta }) => meta.id.replaceAll('-', '_')).filter((key) => !keys.has(key)),
      parse: parseCondition,
      resolve: resolveFact,
    },
  };
}

/** Also checks named conditions that no rule uses: otherwise a mistake in one would be reported only when a rule uses it. */
function checkNamedConditions({ conditions }: ResolvedPolicy, context: RuleContext): void {
  for (const [name, node] of conditions) parseCondition(node, { ...context.conditions, stages: [] }, [name]);
}

/** Ids under which settings of a policy report, in the place of a rule. */
const RESERVED_IDS: ReadonlyMap<string, string> = new Map([
  ['default', 'the default decision of a policy'],
  ['unread', 'the setting `unread` of a policy'],
  ['media', 'the setting `media` of a policy'],
]);

/** Checks that no former id is the id of another rule: marks, tests and overrides of one rule would apply to the other. */
function checkRuleIds({ rules }: ResolvedPolicy, problems: Problems): RuleIds {
  const written = new Set<string>();
  for (const { node } of rules) {
    for (const { name, span } of namesOf(valueOf(node, 'id'))) {
      const use = RESERVED_IDS.get(name);
      if (use !== undefined) problems.add('G002', span, `"${name}" is reserved for ${use}`);
      written.add(name);
    }
  }
  const taken = new Set(written);
  for (const { node } of rules) {
    for (const { name, span } of namesOf(valueOf(node, 'formerly'))) {
      if (taken.has(name)) problems.add('G002', span, `the former id "${name}" belongs to another rule`);
      taken.add(name);
    }
  }
  return { written, former: formerIds(rules) };
}

function namesOf(node: Node | undefined): { readonly name: string; readonly span: Span }[] {
  if (node === undefined || node.kind === 'map') return [];
  if (node.kind === 'seq') return node.items.flatMap(namesOf);
  return typeof node.value === 'string' ? [{ name: node.value, span: node.span }] : [];
}

interface Parts extends Omit<ContextParts, 'plugins' | 'problems'> {
  readonly structures: readonly BoundStructureSource[];
  readonly prices: CompiledPolicy['prices'];
  readonly retention: CompiledPolicy['retention'];
  readonly context: RuleContext;
  readonly rules: readonly RuleSource[];
  readonly exceptions: readonly ExceptionSource[];
}

function* assemble(parts: Parts): Generator<void, Omit<CompiledPolicy, 'readers'>> {
  const { resolved, rules, exceptions, prices, retention } = parts;
  const { defaultMaxTokens, onUnknown: _unused, ...rest } = parts.settings;
  const content = {
    ...rest,
    id: resolved.id,
    environment: parts.environment,
    ...(defaultMaxTokens !== undefined && { defaultMaxTokens }),
    lists: Object.fromEntries([...resolved.lists].map(([name, entries]) => [name, entries])),
    rules: rules.map(({ rule }) => rule),
    exceptions: exceptions.map(({ exception }) => exception),
    budgets: parts.budgets,
    ...(prices !== undefined && { prices }),
    ...(retention !== undefined && { retention }),
    stages: {
      pre: stageRules('pre', rules, exceptions),
      post: stageRules('post', rules, exceptions),
      tool: stageRules('tool', rules, exceptions),
    },
  };
  yield;
  for (const stage of STAGES) {
    tryEngine(content.stages[stage]);
    yield;
  }
  const bindings = parts.detectors.map(({ binding }) => binding);
  const forDigest = {
    ...content,
    detectors: parts.detectors.map(({ binding, written }) => ({ ...binding, options: written })),
    structures: parts.structures.map(({ binding, written }) => ({ ...binding, options: written })),
  };
  const plain = JSON.parse(JSON.stringify(forDigest)) as JsonValue;
  yield;
  const canonical = canonicalJson(plain);
  yield;
  const sources = sourcesOf(resolved, rules, exceptions);
  yield;
  return deepFreeze({
    ...content,
    detectors: bindings,
    structures: parts.structures.map(({ binding }) => binding),
    facts: parts.context.facts,
    sources,
    canonical,
  });
}

function stageRules(stage: Stage, rules: readonly RuleSource[], exceptions: readonly ExceptionSource[]): StageRules {
  const own = rules.filter(({ rule }) => rule.stage === stage);
  return {
    asWritten: own.map(({ rule, condition }) =>
      engineRule(rule.id, condition, rule.onUnknown === 'match' ? 'closed' : 'open'),
    ),
    certain: own.map(({ rule, condition }) =>
      engineRule(rule.id, condition, rule.onUnknown === 'match' ? 'known' : 'open'),
    ),
    exceptions: exceptions.flatMap(({ exception, condition, stages }) =>
      condition !== undefined && stages.includes(stage)
        ? [engineRule(exceptionRuleName(exception.id), condition, 'open')]
        : [],
    ),
  };
}

/** Loads the rules into the engine once, so that anything it rejects throws at compile time and not during a call. */
function tryEngine({ asWritten, certain, exceptions }: StageRules): void {
  new Engine([...asWritten, ...certain, ...exceptions]);
}

/** Freezes plain data recursively; values with a custom prototype (such as a plugin's options) are not frozen. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
