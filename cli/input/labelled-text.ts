import { z } from 'zod';
import type { GoldSpan, LabelledText } from '../../src/authoring/index.js';
import { usageError } from '../exit-code.js';
import type { JsonLine } from './json-lines.js';
import { wrongField } from './wrong-field.js';

const span = z.object({
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
  code: z.string().optional(),
  type: z.string().optional(),
  score_max: z.number().optional(),
});
const record = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  text: z.string(),
  key: z.string().optional(),
  role: z.string().optional(),
  spans: z.array(span).optional(),
  scope: z.array(z.string()).optional(),
  label: z.string().optional(),
  has: z.boolean().optional(),
  neg_scope: z.string().nullish(),
});

/** A line of a corpus: the text and its labels. */
export interface CorpusText extends LabelledText {
  readonly text: string;
  readonly key?: string;
}

/** Labels of a complete text. Other labels (harmful content, leaked prompts) have another subject and are ignored. */
const WHOLE_TEXT_LABELS: Readonly<Record<string, boolean>> = { attack: true, benign: false };

/**
 * Reads `{id, text, spans: [{start, end, code}], scope, label, has}` (`type` is read as `code`). `scope` lists the
 * codes that were labelled; `label: attack | benign` and `has` apply to the complete text. A text with a `neg_scope` is
 * labelled harmless only for one detector of another product, and is not scored unless `has` is true.
 *
 * @param weakBelow spans with a lower `score_max` count neither as found nor as missed
 * @throws CliError (exit 2) naming the line and the field
 */
export function readLabelledText(line: JsonLine, weakBelow: number): CorpusText {
  const parsed = record.safeParse(line.value);
  if (!parsed.success) throw malformed(line, wrongField(parsed.error));
  const { id = line.number, text, key, label, has } = parsed.data;
  const judged = has === true || typeof parsed.data.neg_scope !== 'string';
  const scope = judged ? parsed.data.scope : [];
  const spans = (parsed.data.spans ?? []).map(({ start, end, code, type, score_max }, index): GoldSpan => {
    const name = code ?? type;
    if (name === undefined) throw malformed(line, `spans.${index}.code`);
    if (end <= start || end > text.length) throw malformed(line, `spans.${index}.end`);
    return { code: name, start, end, ...(score_max !== undefined && score_max < weakBelow ? { doubtful: true } : {}) };
  });
  const positive = judged ? (has ?? (label === undefined ? undefined : WHOLE_TEXT_LABELS[label])) : undefined;
  return {
    id,
    text,
    spans,
    bytes: Buffer.byteLength(text),
    ...(key === undefined ? {} : { key }),
    ...(scope === undefined ? {} : { scope }),
    ...(positive === undefined ? {} : { positive }),
  };
}

function malformed({ place }: JsonLine, field: string): Error {
  return usageError(
    `${place} is not a labelled text: ${field === '' ? 'it is not an object' : `"${field}" is missing or wrong`}`,
  );
}
