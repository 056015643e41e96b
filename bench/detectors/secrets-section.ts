import type { Evaluation } from '../../src/authoring/index.js';
import type { BoundDetector } from '../../src/core/index.js';
import { SECRET_RULES } from '../../plugins/secrets/about.js';
import type { Corpus } from './corpora.js';
import { countOf, goal, per, table } from './markdown.js';
import { harmlessCorpora } from './pii-section.js';
import { bound, score } from './score.js';

/**
 * This corpus consists of gitleaks' tests; the formats of many vendors in the patterns come from gitleaks, so it is reported
 * separately.
 */
const RELATED = 'sec_gitleaks';

/** The section on credentials: results by record and by range, and false hits. */
export async function secretsSection(corpora: readonly Corpus[]): Promise<string[]> {
  const labelled = corpora.filter(({ name }) => name.startsWith('sec_'));
  if (labelled.length === 0) return [];
  const detector = bound('secrets', { allCodes: true });
  const foreign = labelled.filter(({ name }) => name !== RELATED);
  const lines: string[][] = [];
  for (const corpus of labelled) lines.push(rowOf(corpus.name, await scored([corpus], detector), false));
  lines.push(rowOf('all but gitleaks', await scored(foreign, detector), false, 85));
  lines.push(rowOf('all', await scored(labelled, detector), true));
  const harmless = await score(harmlessCorpora(corpora), always(bound('secrets')));
  const perMb = harmless.micro.falseHitsPerMb ?? 0;
  return [
    '## Credentials',
    `${SECRET_RULES.length} kinds of credentials. The code \`password\` is enabled for these figures, although it is off by default, because the sets label passwords. A record counts as found if it has any finding; ranges are compared as for personal data. The format of many vendors is also described by gitleaks: its own tests say little about these patterns and are listed separately.`,
    table(['set', 'records with a credential', 'precision %', 'recall %', 'F1 %', 'range F1 %', 'goal'], lines),
    `On ${(harmless.bytes / 1e6).toFixed(1)} MB of harmless text, default codes: ${perMb.toFixed(1)} hits per MB (goal at most 5 ${perMb <= 5 ? '✓' : '✗'}).`,
  ];
}

function scored(corpora: readonly Corpus[], detector: BoundDetector): Promise<Evaluation> {
  return score(corpora, always(detector));
}

function always(detector: BoundDetector): () => BoundDetector {
  return () => detector;
}

function rowOf(name: string, { records, micro }: Evaluation, total: boolean, recall?: number): string[] {
  const goals = [
    ...(total ? [{ value: (records?.f1 ?? 0) * 100, least: 93 }] : []),
    ...(recall === undefined ? [] : [{ value: (records?.recall ?? 0) * 100, least: recall, of: 'recall' }]),
  ];
  return [
    name.replace(/^sec_/, '').replaceAll('_', '-'),
    countOf(records?.positives ?? 0),
    per(records?.precision ?? null),
    per(records?.recall ?? null),
    per(records?.f1 ?? null),
    per(micro.f1),
    goal(goals),
  ];
}
