import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { countOf, goal, per, table } from './markdown.js';

const counted = z.object({ texts: z.number(), reached: z.record(z.string(), z.number()) });
const figures = z.object({
  attacks: z.record(z.string(), counted),
  harmless: z.record(z.string(), counted),
  macro: z.object({ attacks: counted, harmless: counted }),
  pooled: z.object({ attacks: counted, harmless: counted }),
  f1: z.record(z.string(), z.number()),
});
/** The report written by `npm run train:injection -- <folder> --leave-one-source-out --json <file>`. */
const report = z.object({ leaveOneSourceOut: figures, unseenGroups: figures });

type Counted = z.infer<typeof counted>;
type Figures = z.infer<typeof figures>;

/** Score from which the shipped policies treat a text as a likely injection; operators can choose another one. */
const AT = '0.7';
const SCORES = ['0.5', AT, '0.9'] as const;
const COLUMNS = SCORES.map((score) => `from ${score} on, %`);
const NOT_INJECT = 'ben_notinject';

/**
 * The section on prompt injection: first results on unseen sources, then on unseen texts of known sources.
 *
 * @param file an existing report; without it, the models are trained and measured now, which takes minutes
 */
export async function injectionSection(folder: string, file: string | undefined): Promise<string[]> {
  const { leaveOneSourceOut, unseenGroups } = report.parse(
    JSON.parse(file === undefined ? await measured(folder) : await readFile(file, 'utf8')),
  );
  return [
    '## Prompt injection',
    `The most relevant figure comes first: the results for sources of attacks, and of harmless texts, that were not used for training. For every source a model is trained on all others (phrases are the same for all); the shipped policies use the score ${AT}.`,
    ...unseenSources(leaveOneSourceOut),
    ...unseenTexts(unseenGroups),
  ];
}

async function measured(folder: string): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'weir-measure-'));
  try {
    const file = join(scratch, 'injection.json');
    const script = new URL('../injection/main.js', import.meta.url).pathname;
    const flags = ['--leave-one-source-out', '--json', file];
    await promisify(execFile)(process.execPath, [script, folder, ...flags], { maxBuffer: 64 * 1024 * 1024 });
    return await readFile(file, 'utf8');
  } finally {
    await rm(scratch, { recursive: true });
  }
}

function share({ reached }: Counted): number {
  return reached[AT] ?? 0;
}

function shares({ reached }: Pick<Counted, 'reached'>): string[] {
  return SCORES.map((score) => per(reached[score] ?? null));
}

function unseenSources({ attacks, harmless, macro }: Figures): string[] {
  const rows = (sources: Readonly<Record<string, Counted>>): string[][] =>
    Object.entries(sources)
      .sort(([, a], [, b]) => share(b) - share(a))
      .map(([name, one]) => [nameOf(name), countOf(one.texts), ...shares(one)]);
  const recall = goal([{ value: share(macro.attacks) * 100, least: 65 }]);
  const alarms = goal([{ value: share(macro.harmless) * 100, most: 4 }]);
  return [
    '### Sources that were not used for training',
    table(
      ['mean over the sources', 'texts', ...COLUMNS, `goal at ${AT}`],
      [
        ['**recall**', countOf(macro.attacks.texts), ...shares(macro.attacks), recall],
        ['**false positives**', countOf(macro.harmless.texts), ...shares(macro.harmless), alarms],
      ],
    ),
    'Attacks by source, recall:',
    table(['source', 'texts', ...COLUMNS], rows(attacks)),
    'Harmless texts by source, false positives:',
    table(['source', 'texts', ...COLUMNS], rows(harmless)),
  ];
}

function unseenTexts({ f1, pooled, harmless }: Figures): string[] {
  const notInject = harmless[NOT_INJECT];
  const most = (one: Counted, bound: number): string => goal([{ value: share(one) * 100, most: bound }]);
  return [
    '### Unseen texts of sources used for training',
    'Four folds; the model was trained with each source, but with no variant of the tested text. Other projects usually publish this figure, and it is optimistic.',
    table(
      ['over all texts', ...COLUMNS, `goal at ${AT}`],
      [
        ['F1', ...shares({ reached: f1 }), goal([{ value: (f1[AT] ?? 0) * 100, least: 92 }])],
        ['recall', ...shares(pooled.attacks), ''],
        ['false positives', ...shares(pooled.harmless), most(pooled.harmless, 1)],
        ...(notInject === undefined
          ? []
          : [['false positives on NotInject', ...shares(notInject), most(notInject, 3)]]),
      ],
    ),
  ];
}

function nameOf(source: string): string {
  return source.replace(/^(?:inj|ben)_/, '').replaceAll('_', ' ');
}
