import { z } from 'zod';
import { RemoteAnswerError, utf16Offsets, type Finding } from '../../src/core/plugin-api.js';
import { inGroups, type Format } from './format.js';

const answered = z.object({
  findings: z.array(
    z.object({
      index: z.int().nonnegative(),
      code: z.string(),
      start: z.int(),
      end: z.int(),
      score: z.number().min(0).max(1).default(1),
    }),
  ),
});

const BATCH = 50;

/**
 * An operator's own service: `{texts: [{index, text, role, key?}]}` in, `{findings: [{index, code, start, end, score?}]}` out. Ranges are
 * half-open, in the unit of `offsets`.
 */
export const webhook: Format = {
  requests(texts, { path = '/', batch = BATCH }) {
    return inGroups(texts, batch).map((group) => ({
      path,
      body: {
        texts: group.map((index, position) => {
          const { text, role, key } = texts[index]!;
          return { index: position, text, role, ...(key === undefined ? {} : { key }) };
        }),
      },
      texts: group,
    }));
  },

  read(answer, texts, { entities, offsets }) {
    const parsed = answered.safeParse(answer);
    if (!parsed.success) throw new RemoteAnswerError('the answer is not a list of findings');
    const converters = texts.map(({ text }) => utf16Offsets(text, offsets));
    const findings: Finding[][] = texts.map(() => []);
    for (const { index, code, start, end, score } of parsed.data.findings) {
      const convert = converters[index];
      if (convert === undefined) throw new RemoteAnswerError('a finding refers to a text that was not sent');
      if (!Object.hasOwn(entities, code)) continue;
      const [from, to] = [convert(start), convert(end)];
      if (from === undefined || to === undefined) throw new RemoteAnswerError('a finding is outside its text');
      findings[index]!.push({ code: entities[code]!, start: from, end: to, score });
    }
    return findings;
  },
};
