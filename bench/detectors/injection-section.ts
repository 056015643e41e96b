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
/** What `npm run train:injection -- <folder> --leave-one-source-out --json <file>` writes. */
const report = z.object({ leaveOneSourceOut: figures, unseenGroups: figures });

type Counted = z.infer<typeof counted>;
type Figures = z.infer<typeof figures>;

/** From here on the shipped policies call a text a likely injection. */
const AT = '0.7';
const NOT_INJECT = 'ben_notinject';

/**
 * Prompt injection: sources that the model never saw first, then texts that it never saw.
 *
 * @param file a report that is there already; otherwise the models are trained and measured now, which takes minutes
 */
export async function injectionSection(folder: string, file: string | undefined): Promise<string[]> {
  const { leaveOneSourceOut, unseenGroups } = report.parse(
    JSON.parse(file === undefined ? await measured(folder) : await readFile(file, 'utf8')),
  );
  return [
    '## Prompt injection',
    `The figure that counts comes first: how the detector does on a source of attacks, and on a source of harmless texts, of which it has seen nothing. For every source a model is trained on all others (phrases are the same for all), and the threshold is the ${AT} of the shipped policies.`,
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

function unseenSources({ attacks, harmless, macro }: Figures): string[] {
  const rows = (sources: Readonly<Record<string, Counted>>): string[][] =>
    Object.entries(sources)
      .sort(([, a], [, b]) => share(b) - share(a))
      .map(([name, one]) => [nameOf(name), countOf(one.texts), per(share(one)), '']);
  return [
    '### On sources that were never seen',
    table(
      ['', 'texts', '%', 'goal'],
      [
        [
          '**recall, mean over the sources**',
          countOf(macro.attacks.texts),
          per(share(macro.attacks)),
          goal([{ value: share(macro.attacks) * 100, least: 65 }]),
        ],
        [
          '**false positives, mean over the sources**',
          countOf(macro.harmless.texts),
          per(share(macro.harmless)),
          goal([{ value: share(macro.harmless) * 100, most: 4 }]),
        ],
      ],
    ),
    'Attacks by source, recall:',
    table(['source', 'texts', 'noticed %', ''], rows(attacks)),
    'Harmless texts by source, false positives:',
    table(['source', 'texts', 'noticed %', ''], rows(harmless)),
  ];
}

function unseenTexts({ f1, pooled, harmless }: Figures): string[] {
  const notInject = harmless[NOT_INJECT];
  return [
    '### On unseen texts of sources that were seen',
    'Four folds; the model knows each source, but no variant of the text. This is the figure that others usually print, and it flatters.',
    table(
      ['', '%', 'goal'],
      [
        ['F1 over all texts', per(f1[AT] ?? null), goal([{ value: (f1[AT] ?? 0) * 100, least: 92 }])],
        ['recall over all texts', per(share(pooled.attacks)), ''],
        [
          'false positives over all texts',
          per(share(pooled.harmless)),
          goal([{ value: share(pooled.harmless) * 100, most: 1 }]),
        ],
        ...(notInject === undefined
          ? []
          : [
              [
                'false positives on NotInject',
                per(share(notInject)),
                goal([{ value: share(notInject) * 100, most: 3 }]),
              ],
            ]),
      ],
    ),
  ];
}

function nameOf(source: string): string {
  return source.replace(/^(?:inj|ben)_/, '').replaceAll('_', ' ');
}
