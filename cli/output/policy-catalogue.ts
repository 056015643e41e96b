import { describeRule } from '../../src/authoring/index.js';
import { type CompiledPolicy, type CompiledRule, required, type SourcePlace, STAGES } from '../../src/core/index.js';

const STAGE_TITLES = { pre: 'Requests', post: 'Answers', tool: 'Tool calls' } as const;

/** A Markdown page of all active policies, for reviewers and auditors. The same policies result in the same page. */
export function policyCatalogue(policies: readonly CompiledPolicy[], owners: ReadonlyMap<string, string>): string {
  const lines = [
    '# Policies in force',
    '',
    'Made by `weir docs` from the compiled policies: after `extends`, overrides, lists and named conditions.',
    '',
    ...table(
      ['environment', 'by default', 'mode', 'monitor mode of callers', 'stored content', 'rules', 'exceptions'],
      policies.map((policy) => [
        `[${policy.environment}](#${policy.environment})`,
        policy.default,
        policy.monitor ? 'monitor' : 'enforce',
        policy.clientMonitorMode,
        policy.content,
        String(policy.rules.length),
        String(policy.exceptions.length),
      ]),
    ),
    ...policies.flatMap((policy) => environmentLines(policy, owners)),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function environmentLines(policy: CompiledPolicy, owners: ReadonlyMap<string, string>): string[] {
  return [
    '',
    `## ${policy.environment}`,
    ...STAGES.flatMap((stage) => {
      const rules = policy.rules.filter((rule) => rule.stage === stage);
      return rules.length === 0
        ? []
        : [
            '',
            `### ${STAGE_TITLES[stage]} in ${policy.environment}`,
            ...rules.flatMap((rule) => ruleLines(rule, policy, owners)),
          ];
    }),
    ...exceptionLines(policy),
    ...listLines(policy),
    ...budgetLines(policy),
  ];
}

function placeOf({ at }: { readonly at: SourcePlace }): string {
  return `\`${at.file}:${at.line}\``;
}

function ruleLines(rule: CompiledRule, policy: CompiledPolicy, owners: ReadonlyMap<string, string>): string[] {
  const { at, overrides } = required(policy.sources.rules[rule.id], rule.id);
  const facts = [
    `severity ${rule.severity}`,
    `owner ${owners.get(rule.policy) ?? 'nobody'}`,
    `written in ${placeOf({ at })}`,
    ...(rule.reviewBy === undefined ? [] : [`review due ${rule.reviewBy}`]),
    ...(rule.tags.length === 0 ? [] : [`tags ${rule.tags.join(', ')}`]),
  ];
  const [first = '', ...rest] = describeRule(rule, policy);
  const conditions = rest.filter((line) => line.startsWith(' '));
  const sentences = rest.filter((line) => !line.startsWith(' '));
  return [
    '',
    `#### \`${rule.id}\``,
    '',
    `${escaped(rule.title)}. ${facts.join(', ')}.`,
    '',
    first,
    '',
    '```text',
    ...conditions.map((line) => line.slice(2)),
    '```',
    '',
    ...sentences.map(escaped),
    ...overrides.map((one) => `Overridden in \`${one.at.file}:${one.at.line}\`: ${escaped(one.because)}`),
  ];
}

function exceptionLines({ environment, exceptions, sources }: CompiledPolicy): string[] {
  if (exceptions.length === 0) return [];
  const rows = exceptions.map(({ id, rules, effect, because, approvedBy, ticket, expiresAtMs }) => [
    id,
    rules.join(', '),
    effect,
    because,
    approvedBy,
    ticket,
    new Date(expiresAtMs).toISOString(),
    placeOf(required(sources.exceptions[id], id)),
  ]);
  const heads = ['exception', 'rules', 'effect', 'because', 'approved by', 'ticket', 'until', 'written in'];
  return ['', `### Exceptions in ${environment}`, '', ...table(heads, rows)];
}

function listLines({ environment, lists }: CompiledPolicy): string[] {
  const rows = Object.entries(lists).map(([name, entries]) => [
    name,
    String(entries.length),
    entries.map((entry) => String(entry)).join(', '),
  ]);
  return rows.length === 0 ? [] : ['', `### Lists in ${environment}`, '', ...table(['list', 'entries', ''], rows)];
}

function budgetLines({ environment, budgets }: CompiledPolicy): string[] {
  const rows = budgets.map(({ id, scope, window, limit, onExceed }) => [
    id,
    scope.join(', '),
    `${window.per} (${window.timezone})`,
    limit.unit === 'usd' ? `${Number(limit.nanoUsd) / 1e9} USD` : `${limit.tokens} tokens`,
    onExceed,
  ]);
  return rows.length === 0
    ? []
    : ['', `### Budgets in ${environment}`, '', ...table(['budget', 'per', 'window', 'limit', 'when exceeded'], rows)];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)];
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}
