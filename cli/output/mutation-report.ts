import { z } from 'zod';
import { mutationScore, requestLine, verdictLine, type MutantResult } from '../../src/authoring/index.js';
import type { Colours } from './colour.js';

/** What `weir mutate --json` prints. */
export const MUTATION_REPORT = z.object({
  schemaVersion: z.literal(1),
  score: z.number(),
  killed: z.int(),
  survived: z.int(),
  equivalent: z.int(),
  mutants: z.array(
    z.object({
      text: z.string(),
      owners: z.array(z.string()),
      file: z.string(),
      line: z.int(),
      column: z.int(),
      environments: z.array(z.string()),
      state: z.enum(['killed', 'survived', 'unproven', 'equivalent']),
      killedBy: z.object({ file: z.string(), id: z.string(), environment: z.string() }).optional(),
      request: z.string().optional(),
      verdict: z.string().optional(),
      test: z.string().optional(),
    }),
  ),
});

export function mutationJson(results: readonly MutantResult[], written: ReadonlyMap<string, string>): unknown {
  const count = (...states: readonly string[]): number =>
    results.filter(({ outcome }) => states.includes(outcome.state)).length;
  return {
    schemaVersion: 1,
    score: mutationScore(results),
    killed: count('killed'),
    survived: count('survived', 'unproven'),
    equivalent: count('equivalent'),
    mutants: results.map(({ mutant, outcome }) => ({
      text: mutant.text,
      owners: mutant.owners,
      file: mutant.at.file,
      line: mutant.at.line,
      column: mutant.at.column,
      environments: mutant.versions.map(({ environment }) => environment),
      state: outcome.state,
      ...(outcome.state === 'killed' && { killedBy: outcome.by }),
      ...(outcome.state === 'survived' && {
        request: requestLine(outcome.witness.request),
        verdict: verdictLine(outcome.witness),
      }),
      ...(written.has(mutant.id) && { test: written.get(mutant.id) }),
    })),
  };
}

/** Survivors with the request that tells them, then the counts. */
export function mutationPretty(
  results: readonly MutantResult[],
  written: ReadonlyMap<string, string>,
  paint: Colours,
  all: boolean,
): string {
  const lines = results.flatMap(({ mutant, outcome }) => {
    const place = paint.dim(`${mutant.at.file}:${mutant.at.line}`);
    const owners = mutant.owners.length === 0 ? 'settings' : mutant.owners.join(', ');
    const head = `${owners}  ${mutant.text}`;
    switch (outcome.state) {
      case 'survived': {
        const { environment, witness } = outcome;
        const test = written.get(mutant.id);
        return [
          `${paint.red('SURVIVED')} ${head}`,
          `  ${place}`,
          `  no test tells it: ${environment}, stage ${witness.stage}, ${requestLine(witness.request)}`,
          `  now and with the mutant: ${verdictLine(witness)}`,
          ...(test === undefined ? [] : [`  ${paint.green(`written: ${test}`)}`]),
        ];
      }
      case 'unproven':
        return [
          `${paint.yellow('SURVIVED')} ${head}`,
          `  ${place}`,
          mutant.why === undefined || mutant.isBeyondTexts !== true
            ? '  no test tells it, and no request that was tried'
            : `  no test tells it; a test with \`settings\` can. ${mutant.why}`,
        ];
      case 'equivalent':
        return all ? [`${paint.dim('equivalent')} ${head}  ${place}`] : [];
      case 'killed':
        return all
          ? [
              `${paint.green('killed')} ${head}  ${place}  ${paint.dim(`by ${outcome.by.id} (${outcome.by.environment})`)}`,
            ]
          : [];
    }
  });
  const count = (...states: readonly string[]): number =>
    results.filter(({ outcome }) => states.includes(outcome.state)).length;
  const equivalent = count('equivalent');
  const aside = equivalent === 0 ? '' : `, ${equivalent} say the same and do not count`;
  lines.push(
    `${results.length} mutants: ${count('killed')} killed, ${count('survived', 'unproven')} survived${aside}; score ${mutationScore(results)} %`,
  );
  return lines.map((line) => `${line}\n`).join('');
}
