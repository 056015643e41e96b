import { z } from 'zod';
import { RemoteAnswerError, type Finding } from '../../src/core/plugin-api.js';
import { inGroups, type Format } from './format.js';

const verdict = z.object({ is_valid: z.boolean(), scanners: z.record(z.string(), z.number()) });

/**
 * The API of LLM Guard, `POST /scan/prompt` (https://protectai.github.io/llm-guard/api/reference/; older versions: `path:
 * /analyze/prompt`). It returns one risk per scanner and no positions, so a finding covers the whole text. A risk of 0 or less is no
 * finding.
 */
export const llmGuard: Format = {
  requests(texts, { path = '/scan/prompt' }) {
    return inGroups(texts, 1).map((group) => ({ path, body: { prompt: texts[group[0]!]!.text }, texts: group }));
  },

  read(answer, texts, { entities }) {
    const parsed = verdict.safeParse(answer);
    if (!parsed.success) throw new RemoteAnswerError('the answer contains no scanner results');
    const { is_valid: isValid, scanners } = parsed.data;
    const end = texts[0]!.text.length;
    const findings = Object.entries(entities).flatMap(([scanner, code]): Finding[] => {
      const risk = Object.hasOwn(scanners, scanner) ? scanners[scanner] : undefined;
      // A missing scanner means that the text was not fully checked, unless a finding of another scanner ended the run.
      if (risk === undefined && isValid) throw new RemoteAnswerError('a scanner of the policy did not answer');
      return risk === undefined || risk <= 0 ? [] : [{ code, start: 0, end, score: Math.min(1, risk) }];
    });
    return [findings];
  },
};
