import type { CompiledPolicy, CompiledRule } from '../../src/core/index.js';
import { shortName, type Pack } from './pack.js';

const COVERED = { yes: 'yes', partly: 'in part', no: '**no**' } as const;

/** The page about all packs. */
export function packsPage(packs: readonly Pack[]): string {
  return [
    '# Rule packs',
    'Rules that come with Weir, for one purpose each. A policy extends a pack by its name, or several of them; each extends the\nbaseline itself. [How packs are used](../guides/policies.md#rule-packs) is told in the guide.',
    table(
      ['pack', 'what it is for'],
      packs.map(({ name, title }) => [`[\`${name}\`](packs/${shortName(name)}.md)`, title]),
    ),
    'A pack makes nobody compliant. Each page says what the rules do, what they cannot do, and what is left to you.',
  ].join('\n\n');
}

/**
 * The page about one pack.
 * @param policy one that extends the pack, and has no rule of its own
 */
export function packPage({ name, title, about, source, clauses, yours }: Pack, policy: CompiledPolicy): string {
  const rules = policy.rules.filter(({ id }) => policy.sources.rules[id]?.at.file === name);
  return [
    `# ${title}`,
    `\`extends: [${name}]\` · \`weir packs show ${shortName(name)}\` prints the rules, \`--tests\` their tests.`,
    about,
    '## What each rule does',
    table(['rule', 'where it looks', 'what happens', 'if a detector is down', 'what it is for'], rules.map(ruleRow)),
    'The rules of `weir:baseline@1` are in force beside these.',
    '## What is covered, and what is not',
    `Source: [${source.title}](${source.url}).`,
    table(
      ['clause', 'what it asks for', 'covered', 'by', 'what is done, and what is not'],
      clauses.map(({ clause, what, covered, rules: by, words }) => [
        clause,
        what,
        COVERED[covered],
        by.map((id) => `\`${id}\``).join(', '),
        words,
      ]),
    ),
    '## What is left to you',
    yours.map((each) => `- ${each}`).join('\n'),
  ].join('\n\n');
}

const STAGES = { pre: 'requests', post: 'answers', tool: 'tool calls' } as const;

function ruleRow({ id, title, stage, action, onUnknown }: CompiledRule): string[] {
  const unknown = onUnknown === 'match' ? 'the call is refused' : 'the rule rests';
  return [`\`${id}\``, STAGES[stage], action, unknown, title];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
