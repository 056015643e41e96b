import type { JsonValue } from '../../core/model/call.js';
import { Unknown, type FactSet, type FactValue } from '../../core/model/fact.js';
import { rootsOf } from '../../core/detection/bind-structures.js';
import { CLOCK_ROOT } from '../../core/facts/clock-facts.js';
import { BASE_FACTS } from '../../core/facts/registry.js';
import { factsAt } from '../../core/decision/policy-runtime.js';
import { Withheld, type Truth } from '../../core/facts/withheld.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { makersOf, type StageSnapshot } from '../../core/stored/fact-snapshot.js';
import { WRITTEN_ROOTS } from '../../core/stored/stored-facts.js';
import type { RecordedDecision } from '../../core/stored/recorded-decision.js';

const TRUTH_OF: Readonly<Record<string, Truth>> = { t: 'true', f: 'false', n: 'unknown', u: 'undecided' };
const REASONS = ['failed', 'timeout', 'not_run', 'unavailable'] as const;
/** The form of masks in stored texts: `[EMAIL]`. Any text of this form may be a mask, so its value is unknown. */
const MASK = /\[[^[\]\s]{1,64}\]/;

/**
 * The stored facts of an evaluation that have the same meaning under this policy. Facts that were not stored are `Withheld`; so are
 * findings of a detector whose plugin, revision or options differ from the recorded ones.
 *
 * @param otherwise the result of a condition on a withheld fact that was not evaluated in the recorded call
 */
export function restoreFacts(
  policy: CompiledPolicy,
  record: RecordedDecision,
  stage: StageSnapshot,
  otherwise: 'true' | 'false',
): FactSet {
  const answers = new Map(Object.entries(stage.answers ?? {}).map(([key, letter]) => [key, TRUTH_OF[letter]!]));
  const withheld = (name: string): Withheld => new Withheld(name, answers, otherwise);
  const facts: Record<string, FactValue> = {};
  for (const [root, value] of Object.entries(stage.facts)) {
    // Clock facts are derived again below, in the time zones of this policy.
    if (root === CLOCK_ROOT) continue;
    if (isUnknown(value)) facts[root] = unknownOf(value);
    else if (WRITTEN_ROOTS.has(root) || root === 'tool_calls') facts[root] = withheld(root);
    else if (root === 'tool') facts[root] = toolOf(value, withheld);
    else facts[root] = factOf(value);
  }
  Object.assign(facts, fromRecord(record, withheld));
  withholdStrange(facts, policy, record, otherwise);
  return factsAt(policy, stage.stage, facts, record.clockMs);
}

/** The roots of facts that no plugin provides. */
const BASE_ROOTS: ReadonlySet<string> = new Set(rootsOf({ facts: BASE_FACTS }));

/** Withholds the facts of plugins whose revision or options differ between the record and this policy. */
function withholdStrange(
  facts: Record<string, FactValue>,
  policy: CompiledPolicy,
  { makers }: RecordedDecision,
  otherwise: 'true' | 'false',
): void {
  const nobodyAsked = new Map<string, Truth>();
  const withhold = (root: string): void => {
    facts[root] = new Withheld(root, nobodyAsked, otherwise);
  };
  const mine = makersOf(policy);
  for (const { key } of policy.detectors) {
    if (makers[key] !== mine[key]) withhold(key);
  }
  const plugins = factPluginsOf(policy);
  for (const { key, plugin, ledger: root } of plugins) {
    const then = makers[key] ?? makers[plugin];
    // Records made before ledger plugins existed name no such plugin; their budget facts equal those of the first ledger plugin.
    const isStrange = then !== undefined && then !== mine[key];
    if (root !== undefined && isStrange && Object.hasOwn(facts, root)) withhold(root);
  }
  const isAnyStrange = plugins.some(
    ({ key, ledger, isRead }) => ledger === undefined && isRead && makers[key] !== mine[key],
  );
  if (isAnyStrange) for (const root of structureRoots(facts, policy)) withhold(root);
}

/** The structure and ledger plugins of a policy, whether the policy sets their options or not. */
function factPluginsOf({ structures, readers }: CompiledPolicy) {
  return [
    ...structures.map((one) => ({ ...one, isRead: true })),
    ...readers.map((reader) => ({ ...reader, key: reader.plugin })),
  ];
}

/**
 * The roots of the facts of all structure plugins, recorded or read by the policy. It is not recorded which plugin provided which of
 * them.
 */
function structureRoots(facts: FactSet, policy: CompiledPolicy): Set<string> {
  const others = new Set([
    ...BASE_ROOTS,
    ...policy.detectors.map(({ key }) => key),
    ...factPluginsOf(policy).flatMap(({ ledger }) => ledger ?? []),
  ]);
  const roots = [...Object.keys(facts), ...rootsOf({ facts: policy.facts })];
  return new Set(roots.filter((root) => !others.has(root)));
}

/** Metadata and session are fields of the record, masked: a value without a mask is the value that was sent. */
function fromRecord(record: RecordedDecision, withheld: (name: string) => Withheld): Record<string, FactValue> {
  const isMasked = record.capture !== 'full';
  const metadata = metadataOf(record.metadata, 'metadata', isMasked, withheld);
  return {
    metadata,
    session: {
      id:
        record.sessionId === undefined
          ? null
          : isMasked && MASK.test(record.sessionId)
            ? withheld('session.id')
            : record.sessionId,
    },
    context: { sources: sourcesOf(metadata, withheld) },
  };
}

function metadataOf(
  value: JsonValue | undefined,
  name: string,
  isMasked: boolean,
  withheld: (name: string) => Withheld,
): FactValue {
  if (value === undefined) return {};
  if (typeof value === 'string') return isMasked && MASK.test(value) ? withheld(name) : value;
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue, index) => metadataOf(item, `${name}.${index}`, isMasked, withheld));
    // Operators read the whole list, so one unknown entry makes the list unknown.
    return items.some((item) => item instanceof Unknown) ? withheld(name) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isMasked && Object.keys(value).some((key) => MASK.test(key))) return withheld(name);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, metadataOf(inner, `${name}.${key}`, isMasked, withheld)]),
  );
}

/** Same rule as for live calls: `metadata.sources` if it is a list of texts. */
function sourcesOf(metadata: FactValue, withheld: (name: string) => Withheld): FactValue {
  if (metadata instanceof Unknown) return withheld('context.sources');
  const sources = (metadata as { readonly [key: string]: FactValue })['sources'];
  if (sources instanceof Unknown) return withheld('context.sources');
  return Array.isArray(sources) && sources.every((item) => typeof item === 'string') ? sources : null;
}

function toolOf(value: JsonValue, withheld: (name: string) => Withheld): FactValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return withheld('tool');
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      isUnknown(inner) ? unknownOf(inner) : key === 'args' && inner !== null ? withheld('tool.args') : factOf(inner),
    ]),
  );
}

function factOf(value: JsonValue): FactValue {
  if (isUnknown(value)) return unknownOf(value);
  if (Array.isArray(value)) return value.map(factOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, factOf(inner)]));
}

interface StoredUnknown {
  readonly unknown: (typeof REASONS)[number];
  readonly source: string;
  /** What is certain, if there may be more. */
  readonly at_least?: JsonValue;
}

function isUnknown(value: JsonValue): value is JsonValue & StoredUnknown {
  return (
    typeof value === 'object' &&
    value !== null &&
    'unknown' in value &&
    'source' in value &&
    Object.keys(value).length === ('at_least' in value ? 3 : 2) &&
    REASONS.some((reason) => reason === value.unknown)
  );
}

function unknownOf({ unknown, source, at_least: found }: StoredUnknown): Unknown {
  return found === undefined ? new Unknown(unknown, source) : Unknown.atLeast(source, factOf(found));
}
