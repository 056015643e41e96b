import type {
  CompiledException,
  CompiledPolicy,
  DetectorBinding,
  PriceOverride,
  CompiledRule,
} from '../../core/model/compiled-policy.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';
import type { RulePlace, SourcePlace } from '../../core/model/policy-sources.js';
import { STAGES } from '../../core/model/fact.js';
import { inlineYaml, valueLines } from './inline-yaml.js';
import { PRICE_FIELDS } from './price-fields.js';
import { renderCondition, type RenderedLine } from './render-condition.js';

/**
 * Writes the effective policy of one environment, after `extends`, `overrides`, lists and named conditions, in the format of a policy file.
 * Each line has its origin; a line without one is a default.
 */
export function renderPolicy(policy: CompiledPolicy): RenderedLine[] {
  return [
    { text: 'apiVersion: weir/v1' },
    { text: 'kind: Policy' },
    { text: `metadata: ${inlineYaml({ id: policy.id })}` },
    { text: `environment: ${policy.environment}` },
    ...settingLines(policy),
    ...section('detectors', detectorLines(policy)),
    ...section('lists', listLines(policy)),
    ...section('prices', priceLines(policy)),
    ...section('budgets', budgetLines(policy)),
    ...section(
      'rules',
      policy.rules.flatMap((rule, index) => [...(index === 0 ? [] : [{ text: '' }]), ...renderRule(rule, policy)]),
    ),
    ...section(
      'exceptions',
      policy.exceptions.flatMap((exception) => renderException(exception, policy)),
    ),
  ];
}

function section(name: string, lines: readonly RenderedLine[]): RenderedLine[] {
  return lines.length === 0 ? [] : [{ text: '' }, { text: `${name}:` }, ...lines];
}

function withPlace(text: string, at: SourcePlace | undefined): RenderedLine {
  return at === undefined ? { text } : { text, at };
}

function settingLines(policy: CompiledPolicy): RenderedLine[] {
  const { settings } = policy.sources;
  const line = (name: string, value: unknown, path = name): RenderedLine =>
    withPlace(`${name}: ${inlineYaml(value)}`, settings[path]);
  const deadlines = STAGES.map((stage) =>
    withPlace(`  ${stage}: { deadline_ms: ${policy.deadlineMs[stage]} }`, settings[`stages.${stage}.deadline_ms`]),
  );
  return [
    line('default', policy.default),
    line('mode', policy.monitor ? 'monitor' : 'enforce'),
    line('client_monitor_mode', policy.clientMonitorMode),
    line('content', policy.content),
    ...retentionLines(policy),
    line('media', policy.media),
    { text: 'unread:' },
    withPlace(`  governed: ${policy.unread.governed}`, settings['unread.governed']),
    withPlace(`  other: ${policy.unread.other}`, settings['unread.other']),
    { text: 'unmaskable:' },
    withPlace(`  documents: ${policy.unmaskable.documents}`, settings['unmaskable.documents']),
    withPlace(`  signed: ${policy.unmaskable.signed}`, settings['unmaskable.signed']),
    line('on_disconnect', policy.onDisconnect),
    line('on_blocked_history', policy.onBlockedHistory),
    ...(policy.defaultMaxTokens === undefined ? [] : [line('default_max_tokens', policy.defaultMaxTokens)]),
    { text: 'stages:' },
    ...deadlines,
  ];
}

function retentionLines({ retention, sources: { settings } }: CompiledPolicy): RenderedLine[] {
  if (retention === undefined) return [];
  const { contentDays, recordsDays, holds } = retention;
  const days = (name: string, value: number | undefined): RenderedLine[] =>
    value === undefined ? [] : [withPlace(`  ${name}: ${value}d`, settings[`retention.${name}`])];
  return [
    { text: 'retention:' },
    ...days('content', contentDays),
    ...days('records', recordsDays),
    ...(holds.length === 0 ? [] : [{ text: '  holds:' }]),
    ...holds.map(({ id, match, because, untilMs }) =>
      withPlace(
        `    - ${inlineYaml({ id, match, because, until: new Date(untilMs).toISOString() })}`,
        settings[`retention.holds.${id}.match`],
      ),
    ),
  ];
}

/**
 * The detectors and the plugins that get options, each with the values that the policy sets. Scores and options that it does not set are
 * those of the plugin's version.
 */
function detectorLines(policy: CompiledPolicy): RenderedLine[] {
  const { settings } = policy.sources;
  const options = writtenOptions(policy);
  const linesOf = (key: string, fields: object): RenderedLine[] => [
    withPlace(`  ${key}:`, settings[`detectors.${key}`]),
    ...Object.entries({ ...fields, ...options.get(key) }).flatMap(([name, value]) =>
      valueLines('    ', name, value).map((text) => withPlace(text, settings[`detectors.${key}.${name}`])),
    ),
  ];
  const bindings = [...policy.detectors, ...policy.structures].sort((a, b) => (a.key < b.key ? -1 : 1));
  return bindings.flatMap((binding) => {
    const { key, plugin, version } = binding;
    const named = { plugin: `${plugin}@${version}` };
    if (!('codes' in binding)) return linesOf(key, named);
    const { timeoutMs, codes } = binding;
    return linesOf(key, { ...named, timeout_ms: timeoutMs, ...setScores(binding, policy), codes });
  });
}

/** `min_score` as the policy sets it: one number for all codes, or one for each code that it names. */
function setScores({ key, minScore }: DetectorBinding, { sources: { settings } }: CompiledPolicy): object {
  const path = `detectors.${key}.min_score`;
  if (settings[path] === undefined) return {};
  const scores = Object.entries(minScore);
  const isByCode = Object.keys(settings).some((name) => name.startsWith(`${path}.`));
  const set = isByCode ? scores.filter(([code]) => settings[`${path}.${code}`] !== undefined) : scores;
  const [first] = set;
  if (first === undefined) return {};
  return { min_score: isByCode ? Object.fromEntries(set) : first[1] };
}

/** The options of the plugins as written, by key: the compiled form contains them with their defaults, and some as code. */
function writtenOptions({ canonical }: CompiledPolicy): ReadonlyMap<string, object> {
  const { detectors, structures } = JSON.parse(canonical) as Record<
    'detectors' | 'structures',
    readonly { readonly key: string; readonly options?: object }[]
  >;
  return new Map([...detectors, ...structures].map(({ key, options }) => [key, options ?? {}]));
}

function listLines({ lists, sources }: CompiledPolicy): RenderedLine[] {
  return Object.entries(lists).flatMap(([name, entries]) => [
    { text: `  ${name}:` },
    ...entries.map((entry) => withPlace(`    - ${inlineYaml(entry)}`, sources.lists[name]?.[String(entry)])),
  ]);
}

function budgetLines({ budgets }: CompiledPolicy): RenderedLine[] {
  return budgets.map(({ id, scope, window, limit, warnAt, onExceed, onUnknownPrice }) => ({
    text: `  - ${inlineYaml({
      id,
      scope,
      window,
      limit: limit.unit === 'usd' ? { usd: Number(limit.nanoUsd) / 1e9 } : { tokens: limit.tokens },
      warn_at: warnAt,
      on_exceed: onExceed,
      ...(onUnknownPrice === undefined ? {} : { on_unknown_price: onUnknownPrice }),
    })}`,
  }));
}

function priceLines({ prices = {} }: CompiledPolicy): RenderedLine[] {
  return Object.entries(prices).map(([model, price]) => {
    const named = Object.entries(price).map(([key, nanoUsd]: [string, string]) => [
      PRICE_FIELDS[key as keyof PriceOverride],
      Number(nanoUsd) / 1e9,
    ]);
    return { text: `  ${inlineYaml(model)}: ${inlineYaml(Object.fromEntries(named))}` };
  });
}

/** Writes one rule as an entry of `rules:`. */
export function renderRule(rule: CompiledRule, policy: CompiledPolicy): RenderedLine[] {
  const places: RulePlace | undefined = policy.sources.rules[rule.id];
  const at = places?.at;
  const field = (name: string, value: unknown, path = name): RenderedLine =>
    withPlace(`    ${name}: ${inlineYaml(value)}`, places?.fields[path]);
  const engine = policy.stages[rule.stage].asWritten.find(({ name }) => name === rule.id);
  return [
    withPlace(`  - id: ${rule.id}`, at),
    ...(rule.title === rule.id ? [] : [field('title', rule.title)]),
    field('stage', rule.stage),
    field('severity', rule.severity),
    ...(rule.monitor ? [field('mode', 'monitor')] : []),
    ...(rule.reviewBy === undefined ? [] : [field('review_by', rule.reviewBy)]),
    ...(rule.message === rule.title ? [] : [field('message', rule.message)]),
    withPlace('    when:', places?.fields['when']),
    ...(engine === undefined ? [] : renderCondition(engine.conditions, policy.sources, '      ')),
    ...actionLines(rule, places),
    field('on_unknown', rule.onUnknown),
    ...(rule.rolloutPercent === undefined
      ? []
      : [field('rollout', { percent: rule.rolloutPercent, by: 'api_key' }, 'rollout.percent')]),
    ...(rule.formerly.length === 0 ? [] : [field('formerly', rule.formerly)]),
    ...(rule.tags.length === 0 ? [] : [field('tags', rule.tags)]),
  ];
}

function actionLines(
  { action, reason, detail, answer, redact }: CompiledRule,
  places: RulePlace | undefined,
): RenderedLine[] {
  const line = (text: string, path: string): RenderedLine => withPlace(`      ${text}`, places?.fields[path]);
  return [
    { text: '    then:' },
    line(`action: ${action}`, 'then.action'),
    ...(reason === undefined ? [] : [line(`reason: ${reason}`, 'then.reason')]),
    ...(detail === undefined ? [] : [line(`detail: ${detail}`, 'then.detail')]),
    ...(answer === undefined ? [] : [line(`answer: ${inlineYaml(answer)}`, 'then.answer')]),
    ...(redact === undefined
      ? []
      : [
          line(
            `redact: ${inlineYaml({
              entities: redact.targets.map(({ detector, code }) => `${detector}/${code}`),
              // Stable tokens take the place of the replacement text.
              ...(redact.tokens === undefined ? { with: redact.with } : { tokens: redact.tokens }),
              ...(redact.restore === true && { restore: true }),
              ...(redact.label !== undefined && { label: redact.label }),
            })}`,
            'then.redact.entities',
          ),
        ]),
  ];
}

/** Writes one exception as an entry of `exceptions:`. */
export function renderException(exception: CompiledException, policy: CompiledPolicy): RenderedLine[] {
  const { id, rules, effect, because, approvedBy, ticket, expiresAtMs } = exception;
  const places = policy.sources.exceptions[id];
  const field = (name: string, value: unknown): RenderedLine =>
    withPlace(`    ${name}: ${inlineYaml(value)}`, places?.fields[name]);
  const engine = STAGES.flatMap((stage) => policy.stages[stage].exceptions).find(
    ({ name }) => name === exceptionRuleName(id),
  );
  return [
    withPlace(`  - id: ${id}`, places?.at),
    field('rules', rules),
    ...(engine === undefined
      ? []
      : [
          withPlace('    when:', places?.fields['when']),
          ...renderCondition(engine.conditions, policy.sources, '      '),
        ]),
    field('effect', effect),
    field('because', because),
    field('approved_by', approvedBy),
    field('ticket', ticket),
    field('expires', new Date(expiresAtMs).toISOString()),
  ];
}
