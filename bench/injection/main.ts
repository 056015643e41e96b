import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ModelParameters } from '../../plugins/prompt-injection/model.js';
import { MODEL } from '../../plugins/prompt-injection/weights.js';
import { readDocuments } from './documents.js';
import { fit, marksOf, unseenModels, type Fitted } from './fit.js';
import { absentReadmes, listReadmes } from './installed-texts.js';
import { figuresOf, scoresOf, tableOf, type Figures } from './report.js';
import { SOURCES } from './sources.js';
import { corpusOf, type Corpus, type Document } from './vocabulary.js';

/**
 * `npm run train:injection -- <folder>` trains the model of `plugins/prompt-injection` on the corpora in the folder and
 * writes `weights.ts`, the same bytes for the same texts; `--check` only compares the result with the existing file. The
 * texts are those of the corpora, those generated in this folder, the compiler's messages, and the READMEs of installed
 * packages that `readmes.txt` lists. A README that is missing or differs from the list is skipped and reported, and the
 * weights then differ. `--list` writes a new list from the lock file before the training.
 *
 * `npm run train:injection -- <folder> --leave-one-source-out [--json <file>]` measures instead, and writes only the
 * report:
 *
 * ```json
 * { "schemaVersion": 1, "data": "<sha-256 of the training texts>",
 *   "leaveOneSourceOut": Figures, "unseenGroups": Figures }
 * ```
 *
 * - `leaveOneSourceOut`: every source is judged by a model trained without that source. This is the most meaningful figure.
 * - `unseenGroups`: four folds; the model knows the sources, but no variant of the text.
 * - `Figures` (`report.ts`): `attacks` and `harmless` by source, `macro` (mean over sources), `pooled` (over texts), each
 *   `{ texts, reached: { "0.5", "0.6", "0.7", "0.9" } }` with shares from 0 to 1 of the texts that reach the score, and `f1`.
 *
 * The complete detector is measured, including phrases and decoding. Phrases are not learnt, so they are the same in every run.
 */
function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'leave-one-source-out': { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  });
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1 || statSync(folder, { throwIfNoEntry: false }) === undefined) {
    process.stderr.write(
      'usage: train:injection -- <folder> [--check | --list | --leave-one-source-out [--json <file>]]\n',
    );
    process.exitCode = 2;
    return;
  }
  const root = process.cwd();
  if (values.list) listReadmes(root);
  const absent = absentReadmes(root);
  if (absent.length > 0)
    say(`NOT TRAINED ON, not installed as listed in readmes.txt: ${absent.join(', ')}; --list makes a new list`);
  const corpus = corpusOf(readDocuments(folder, root));
  const { documents } = corpus;
  say(`${documents.length} texts read, ${documents.filter(({ trains }) => trains).length} of them for training`);
  const data = digestOf(documents);
  if (values['leave-one-source-out']) measure(corpus, data, values.json);
  else writeWeights(corpus, data, join(root, 'plugins/prompt-injection/weights.ts'), values.check);
}

function measure(corpus: Corpus, data: string, file: string | undefined): void {
  const report = {
    schemaVersion: 1,
    data,
    leaveOneSourceOut: leaveOneSourceOut(corpus),
    unseenGroups: unseenGroups(corpus),
  };
  process.stdout.write(`${tableOf('LEAVE ONE SOURCE OUT: the source was never seen', report.leaveOneSourceOut)}\n`);
  process.stdout.write(tableOf('UNSEEN GROUPS: the source was seen, the text was not', report.unseenGroups));
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
}

/**
 * Judges every source with a model that was trained without that source. The calibration is the shipped one: a few numbers shared by all
 * sources.
 */
function leaveOneSourceOut(corpus: Corpus): Figures {
  const scores = new Map<Document, number>();
  let whole: Fitted | undefined;
  for (const [source, own] of Map.groupBy(
    corpus.documents.filter(({ measured }) => measured),
    (document) => document.source,
  )) {
    const known = own.some(({ trains }) => trains);
    const model = known ? fit(corpus, (document) => document.source !== source) : (whole ??= fit(corpus));
    for (const [document, score] of scoresOf(own, { ...model, marks: MODEL.marks })) scores.set(document, score);
    say(`left out ${source}`);
  }
  return figuresOf(scores);
}

function unseenGroups(corpus: Corpus): Figures {
  const scores = new Map<Document, number>();
  const models = unseenModels(corpus, (fold) => say(`fold ${fold + 1}`));
  for (const [model, list] of Map.groupBy(models, ([, fitted]) => fitted)) {
    const own = list.map(([document]) => document);
    for (const [document, score] of scoresOf(own, { ...model, marks: MODEL.marks })) scores.set(document, score);
  }
  return figuresOf(scores);
}

function writeWeights(corpus: Corpus, data: string, file: string, check: boolean): void {
  const marks = marksOf(
    corpus,
    unseenModels(corpus, (fold) => say(`calibrated on fold ${fold + 1}`)),
  );
  const source = sourceOf({ ...fit(corpus), marks }, data, corpus.documents);
  const shipped = readFileSync(file, 'utf8');
  const same = shipped === source;
  if (!shipped.includes(data)) say('the texts are not those that the shipped weights were learnt from');
  say(same ? 'the weights are those of the repository' : check ? 'the weights differ' : 'weights written');
  if (!same && !check) writeFileSync(file, source);
  if (!same && check) process.exitCode = 1;
}

function sourceOf(
  { weights, largest, bias, marks }: ModelParameters,
  data: string,
  documents: readonly Document[],
): string {
  const used = new Set(documents.filter(({ trains }) => trains).map(({ source }) => source));
  const sources = SOURCES.filter(({ name }) => used.has(name)).map(({ name, licence }) => ` *   ${name} (${licence})`);
  return `import type { ModelParameters } from './model.js';

/**
 * Written by \`npm run train:injection\`; not for editing.
 *
 * Format 2. Training texts: ${documents.filter(({ trains }) => trains).length}, sha-256
 * ${data}, from
${sources.join('\n')}
 *   and the READMEs (MIT, ISC, BSD, Apache-2.0) and compiler messages (Apache-2.0) of installed packages.
 * The OWASP part of ben_docs_code (share alike) is left out.
 *
 * The rows of letters are packed numbers: a word that seems to stand in them is chance.
 */
export const MODEL: ModelParameters = {
  largest: ${largest},
  bias: ${bias},
  marks: [
${marks.map(([value, score]) => `    [${value}, ${score}],`).join('\n')}
  ],
  weights:
    '${weights}',
};
`;
}

function digestOf(documents: readonly Document[]): string {
  const hash = createHash('sha256');
  for (const { trains, source, attack, text } of documents)
    if (trains) hash.update(JSON.stringify([source, attack, text]));
  return hash.digest('hex');
}

function say(words: string): void {
  process.stderr.write(`${words}\n`);
}

main();
