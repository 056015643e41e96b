import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isToolSequence, readLabelledCalls, type CorpusSequence } from '../../cli/input/labelled-calls.js';
import type { JsonLine } from '../../cli/input/json-lines.js';
import { readLabelledText, type CorpusText } from '../../cli/input/labelled-text.js';

/** A labelled text with a field that only some corpora have. */
export interface MeasuredText extends CorpusText {
  /** Country of the telephone numbers without a country code. */
  readonly region?: string;
}

/** A labelled list of tool calls with the kind of its situation. */
export interface MeasuredSequence extends CorpusSequence {
  readonly kind: string;
}

/** One corpus: a file of JSON lines. Its name up to the first `_` is the kind of its labels: `pii`, `sec`, `inj`, `ben`, `tool`. */
export interface Corpus {
  readonly name: string;
  readonly texts: readonly MeasuredText[];
  readonly sequences: readonly MeasuredSequence[];
}

/** Labels with a lower score from their own authors are weak and not counted. */
const WEAK_BELOW = 0.4;

/**
 * Reads every `*.jsonl` of a folder, as `weir eval` reads it.
 *
 * @throws Error naming the folder when it holds none, and the file and line that cannot be read
 */
export async function readCorpora(folder: string): Promise<readonly Corpus[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.jsonl')).sort();
  if (files.length === 0) throw new Error(`${folder} holds no .jsonl file`);
  return Promise.all(files.map((file) => readCorpus(folder, file)));
}

async function readCorpus(folder: string, file: string): Promise<Corpus> {
  const texts: MeasuredText[] = [];
  const sequences: MeasuredSequence[] = [];
  const lines = (await readFile(join(folder, file), 'utf8')).split('\n');
  for (const [index, source] of lines.entries()) {
    if (source.trim() === '') continue;
    const value = JSON.parse(source) as Record<string, unknown>;
    const place = `line ${index + 1} of ${file}`;
    const line: JsonLine = { place, number: index + 1, value, bytes: Buffer.byteLength(source) };
    if (isToolSequence(line)) sequences.push({ ...readLabelledCalls(line), kind: stringOf(value['kind']) ?? '' });
    else {
      const region = stringOf(value['region']);
      texts.push({ ...readLabelledText(line, WEAK_BELOW), ...(region === undefined ? {} : { region }) });
    }
  }
  return { name: file.replace(/\.jsonl$/, ''), texts, sequences };
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
