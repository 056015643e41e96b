import type { JsonValue } from '../../core/model/call.js';
import type {
  BudgetDefinition,
  CompiledPolicy,
  DetectorBinding,
  LegalHold,
  PriceOverride,
  StructureBinding,
} from '../../core/model/compiled-policy.js';
import { STAGES } from '../../core/model/fact.js';
import { PRICE_FIELDS } from '../render/price-fields.js';
import { optionValues, withOption } from './option-values.js';

export type LeafOwner = 'setting' | 'price' | 'budget' | 'detector';

/** The value of one leaf in one policy. Rules, exceptions and lists are not included: they are compared as a whole. */
export interface LeafValue {
  /** The path of the leaf in `LEAF_CLASSES`. */
  readonly leaf: string;
  readonly what: LeafOwner;
  /** The id of the budget, the key of the detector, or the priced model; for a setting its path. */
  readonly id: string;
  /** The path below `id` as in policy files: `limit.usd`. Empty for a setting. */
  readonly field: string;
  /** Undefined: not set. */
  readonly value: JsonValue | undefined;
  /** A copy of the policy with another value for this leaf. */
  with(value: JsonValue): CompiledPolicy;
}

/** Every leaf of a policy, except those of rules, exceptions and lists. */
export function leafValues(policy: CompiledPolicy): LeafValue[] {
  return [
    ...settingValues(policy),
    ...priceValues(policy),
    ...policy.budgets.flatMap((budget) => budgetValues(budget, policy)),
    ...policy.detectors.flatMap((binding) => detectorValues(binding, policy)),
    ...policy.structures.flatMap((binding) => structureValues(binding, policy)),
  ];
}

function settingValues(policy: CompiledPolicy): LeafValue[] {
  const { unread, unmaskable, deadlineMs } = policy;
  const setting = (id: string, value: JsonValue | undefined, change: (next: never) => object): LeafValue => ({
    leaf: id,
    what: 'setting',
    id,
    field: '',
    value,
    with: (next) => ({ ...policy, ...change(next as never) }),
  });
  return [
    setting('default', policy.default, (next) => ({ default: next })),
    setting('mode', policy.monitor ? 'monitor' : 'enforce', (next) => ({ monitor: next === 'monitor' })),
    setting('client_monitor_mode', policy.clientMonitorMode, (next) => ({ clientMonitorMode: next })),
    setting('content', policy.content, (content) => ({ content })),
    ...retentionValues(policy, setting),
    setting('default_max_tokens', policy.defaultMaxTokens, (next) => ({ defaultMaxTokens: next })),
    setting('media', policy.media, (media) => ({ media })),
    ...(['governed', 'other'] as const).map((key) =>
      setting(`unread.${key}`, unread[key], (next) => ({ unread: { ...unread, [key]: next } })),
    ),
    ...(['documents', 'signed'] as const).map((key) =>
      setting(`unmaskable.${key}`, unmaskable[key], (next) => ({ unmaskable: { ...unmaskable, [key]: next } })),
    ),
    setting('on_disconnect', policy.onDisconnect, (onDisconnect) => ({ onDisconnect })),
    setting('on_blocked_history', policy.onBlockedHistory, (onBlockedHistory) => ({ onBlockedHistory })),
    ...STAGES.map((stage) =>
      setting(`stages.${stage}.deadline_ms`, deadlineMs[stage], (next) => ({
        deadlineMs: { ...deadlineMs, [stage]: next },
      })),
    ),
  ];
}

type MakeSetting = (id: string, value: JsonValue | undefined, change: (next: never) => object) => LeafValue;

function retentionValues({ retention }: CompiledPolicy, setting: MakeSetting): LeafValue[] {
  const kept = retention ?? { holds: [] };
  const written = (days: number | undefined): string | undefined => (days === undefined ? undefined : `${days}d`);
  const daysOf = (next: string): number => Number.parseInt(next, 10);
  const hold = (id: string, change: (hold: LegalHold) => LegalHold): object => ({
    retention: { ...kept, holds: kept.holds.map((one) => (one.id === id ? change(one) : one)) },
  });
  const ofHolds = kept.holds.flatMap(({ id, match, untilMs }) => [
    {
      ...setting(
        `retention.holds.${id}.match`,
        Object.entries(match).map(([name, value]) => `${name}=${value}`),
        (next: readonly string[]) => hold(id, (one) => ({ ...one, match: matchOf(next) })),
      ),
      leaf: 'retention.holds[].match.*',
    },
    {
      ...setting(`retention.holds.${id}.until`, new Date(untilMs).toISOString(), (next: string) =>
        hold(id, (one) => ({ ...one, untilMs: Date.parse(next) })),
      ),
      leaf: 'retention.holds[].until',
    },
  ]);
  return [
    setting('retention.content', written(kept.contentDays), (next: string) => ({
      retention: { ...kept, contentDays: daysOf(next) },
    })),
    setting('retention.records', written(kept.recordsDays), (next: string) => ({
      retention: { ...kept, recordsDays: daysOf(next) },
    })),
    ...ofHolds,
  ];
}

function matchOf(entries: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}

function priceValues(policy: CompiledPolicy): LeafValue[] {
  const { prices = {} } = policy;
  return Object.entries(prices).flatMap(([model, price]) =>
    (Object.keys(PRICE_FIELDS) as (keyof PriceOverride)[]).map((key) => ({
      leaf: `prices.*.${PRICE_FIELDS[key]}`,
      what: 'price',
      id: model,
      field: PRICE_FIELDS[key],
      value: price[key],
      with: (next) => ({ ...policy, prices: { ...prices, [model]: { ...price, [key]: next as string } } }),
    })),
  );
}

function budgetValues(budget: BudgetDefinition, policy: CompiledPolicy): LeafValue[] {
  const { limit, window } = budget;
  const field = (
    name: string,
    value: JsonValue | undefined,
    change: (next: never) => Partial<BudgetDefinition>,
  ): LeafValue => ({
    leaf: `budgets[].${name}`,
    what: 'budget',
    id: budget.id,
    field: name,
    value,
    with: (next) => ({
      ...policy,
      budgets: policy.budgets.map((one) => (one.id === budget.id ? { ...one, ...change(next as never) } : one)),
    }),
  });
  return [
    field('scope', [...budget.scope], (scope) => ({ scope })),
    field('window.per', window.per, (per) => ({ window: { ...window, per } })),
    field('window.timezone', window.timezone, (timezone) => ({ window: { ...window, timezone } })),
    field('limit.usd', limit.unit === 'usd' ? limit.nanoUsd : undefined, (nanoUsd) => ({
      limit: { unit: 'usd', nanoUsd },
    })),
    field('limit.tokens', limit.unit === 'tokens' ? limit.tokens : undefined, (tokens) => ({
      limit: { unit: 'tokens', tokens },
    })),
    field('warn_at', [...budget.warnAt], (warnAt) => ({ warnAt })),
    field('on_exceed', budget.onExceed, (onExceed) => ({ onExceed })),
    field('on_unknown_price', budget.onUnknownPrice ?? 'refuse', (next) => withUnknownPrice(budget, next)),
  ];
}

function withUnknownPrice(budget: BudgetDefinition, next: string): Partial<BudgetDefinition> {
  return next === 'allow' ? { ...budget, onUnknownPrice: 'allow' } : { ...budget, onUnknownPrice: undefined };
}

function detectorValues(binding: DetectorBinding, policy: CompiledPolicy): LeafValue[] {
  const withBinding = (change: Partial<DetectorBinding>): CompiledPolicy => ({
    ...policy,
    detectors: policy.detectors.map((one) => (one.key === binding.key ? { ...one, ...change } : one)),
  });
  const field = (
    name: string,
    value: JsonValue | undefined,
    change: (next: never) => Partial<DetectorBinding>,
  ): LeafValue => ({
    leaf: `detectors.*.${name}`,
    what: 'detector',
    id: binding.key,
    field: name,
    value,
    with: (next) => withBinding(change(next as never)),
  });
  return [
    field('plugin', `${binding.plugin}@${binding.version} revision ${binding.revision}`, () => ({})),
    field('min_score', { ...binding.minScore }, (minScore) => ({ minScore })),
    field('codes', [...binding.codes], (codes) => ({ codes })),
    field('timeout_ms', binding.timeoutMs, (timeoutMs) => ({ timeoutMs })),
    ...optionsOf(binding, JSON.parse(JSON.stringify(binding.options ?? {})) as JsonValue, policy),
  ];
}

/** Options of structure plugins are read from the canonical policy, because the parsed options may not be plain data. */
function structureValues(binding: StructureBinding, policy: CompiledPolicy): LeafValue[] {
  const { structures } = JSON.parse(policy.canonical) as { readonly structures: readonly StructureBinding[] };
  const written = (structures.find(({ key }) => key === binding.key)?.options ?? {}) as JsonValue;
  return optionsOf(binding, written, policy);
}

function optionsOf(
  { key, plugin }: Pick<DetectorBinding, 'key' | 'plugin'>,
  options: JsonValue,
  policy: CompiledPolicy,
): LeafValue[] {
  return optionValues(plugin, options).map(({ leaf, path, value }) => ({
    leaf,
    what: 'detector',
    id: key,
    field: path
      .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
      .join('')
      .slice(1),
    value,
    with: (next) => withOptions(policy, key, withOption(options, path, next)),
  }));
}

/** The canonical form includes the options, so that a value cached for one set of options is not used for another. */
export function withOptions(policy: CompiledPolicy, key: string, options: JsonValue): CompiledPolicy {
  const canonical = JSON.parse(policy.canonical) as Record<'detectors' | 'structures', { key: string }[]>;
  const changed = <T extends { readonly key: string }>(bindings: readonly T[]): T[] =>
    bindings.map((one) => (one.key === key ? { ...one, options } : one));
  return {
    ...policy,
    detectors: changed(policy.detectors),
    structures: changed(policy.structures),
    canonical: JSON.stringify({
      ...canonical,
      detectors: changed(canonical.detectors),
      structures: changed(canonical.structures),
    }),
  };
}

const SECTIONS = { setting: '', price: 'prices.', budget: 'budgets.', detector: 'detectors.' } as const;

/** The name of a leaf in tests and reports: `content`, `budgets.team.limit.usd`, `detectors.hid.patterns.HID[0].pattern`. */
export function leafName({ what, id, field }: Pick<LeafValue, 'what' | 'id' | 'field'>): string {
  return field === '' ? `${SECTIONS[what]}${id}` : `${SECTIONS[what]}${id}.${field}`;
}
