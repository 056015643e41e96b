import type { CompiledPolicy, CompiledRule } from '../../src/core/index.js';
import { shortName, type Pack } from './pack.js';

const COVERED = { yes: 'yes', partly: 'in part', no: '**no**' } as const;

/** The page about all packs. */
export function packsPage(packs: readonly Pack[]): string {
  return [
    '# Rule packs',
    'Weir comes with rule packs, each for one purpose. A policy extends one or several packs by name; each pack already extends the\nbaseline. See the guide on [using packs](../guides/policies.md#rule-packs).',
    table(
      ['pack', 'purpose'],
      packs.map(({ name, title }) => [`[\`${name}\`](packs/${shortName(name)}.md)`, title]),
    ),
    'A pack alone does not make you compliant. Each page lists the effects of the rules, their limits, and your remaining tasks.',
  ].join('\n\n');
}

/**
 * The page about one pack.
 * @param policy a policy that extends the pack and has no other rules
 */
export function packPage({ name, title, about, source, clauses, yours }: Pack, policy: CompiledPolicy): string {
  const rules = policy.rules.filter(({ id }) => policy.sources.rules[id]?.at.file === name);
  return [
    `# ${title}`,
    `\`extends: [${name}]\` · \`weir packs show ${shortName(name)}\` prints the rules, \`--tests\` their tests.`,
    about,
    '## Rules',
    table(['rule', 'applies to', 'action', 'when a detector is unavailable', 'purpose'], rules.map(ruleRow)),
    'The rules of `weir:baseline@1` also apply.',
    '## Coverage',
    `Source: [${source.title}](${source.url}).`,
    table(
      ['clause', 'requirement', 'covered', 'by rules', 'coverage and limits'],
      clauses.map(({ clause, what, covered, rules: by, words }) => [
        clause,
        what,
        COVERED[covered],
        by.map((id) => `\`${id}\``).join(', '),
        words,
      ]),
    ),
    '## Your remaining tasks',
    yours.map((each) => `- ${each}`).join('\n'),
  ].join('\n\n');
}

const STAGES = { pre: 'requests', post: 'answers', tool: 'tool calls' } as const;

function ruleRow({ id, title, stage, action, onUnknown }: CompiledRule): string[] {
  const unknown = onUnknown === 'match' ? 'the call is refused' : 'the rule does not apply';
  return [`\`${id}\``, STAGES[stage], action, unknown, title];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
