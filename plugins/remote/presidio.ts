import { z } from 'zod';
import { RemoteAnswerError, utf16Offsets, type Finding, type RemoteText } from '../../src/core/plugin-api.js';
import { inGroups, type Format } from './format.js';

const result = z.object({
  entity_type: z.string(),
  start: z.int(),
  end: z.int(),
  score: z.number().min(0).max(1),
});
const one = z.array(result);
const several = z.array(one);

/**
 * The analyzer of Microsoft Presidio, `POST /analyze` (https://microsoft.github.io/presidio/api-docs/api-docs.html#tag/Analyzer). Its
 * offsets count Unicode characters, as in Python. Newer versions accept a list of texts; `batch` declares such a version.
 */
export const presidio: Format = {
  requests(texts, { path = '/analyze', batch = 1, language, entities }) {
    return inGroups(texts, batch).map((group) => {
      const shown = group.map((index) => texts[index]!.text);
      return {
        path,
        body: { text: batch === 1 ? shown[0]! : shown, language, entities: Object.keys(entities) },
        texts: group,
      };
    });
  },

  read(answer, texts, { batch = 1, entities }) {
    const parsed = batch === 1 ? one.transform((results) => [results]).safeParse(answer) : several.safeParse(answer);
    if (!parsed.success) throw new RemoteAnswerError('the answer is not a list of analyzer results');
    return parsed.data.map((results, index) => {
      const text = texts[index];
      if (text === undefined) throw new RemoteAnswerError('the answer refers to more texts than were sent');
      return findingsOf(results, text, entities);
    });
  },
};

function findingsOf(
  results: z.output<typeof one>,
  { text }: RemoteText,
  entities: Readonly<Record<string, string>>,
): Finding[] {
  const offset = utf16Offsets(text, 'code_points');
  return results.flatMap(({ entity_type, start, end, score }) => {
    if (!Object.hasOwn(entities, entity_type)) return [];
    const [from, to] = [offset(start), offset(end)];
    if (from === undefined || to === undefined) throw new RemoteAnswerError('a result is outside its text');
    return [{ code: entities[entity_type]!, start: from, end: to, score }];
  });
}
