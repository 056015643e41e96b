import { z } from 'zod';
import { mutationScore, requestLine, verdictLine, type Mutant, type MutantResult } from '../../src/authoring/index.js';
import type { PolicyProblem } from '../../src/core/index.js';
import type { Colours } from './colour.js';
import { plural } from './plural.js';
import type { ReportCase } from './report-case.js';

type Survived = Extract<MutantResult['outcome'], { readonly state: 'survived' | 'unproven' }>;

/** The JSON output of `weir mutate`. */
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

/** The surviving mutants, each with the request that reveals it, then the counts. */
export function mutationPretty(
  results: readonly MutantResult[],
  written: ReadonlyMap<string, string>,
  paint: Colours,
  all: boolean,
): string {
  const lines = results.flatMap(({ mutant, outcome }) => {
    const place = paint.dim(`${mutant.at.file}:${mutant.at.line}`);
    const head = headOf(mutant);
    switch (outcome.state) {
      case 'survived': {
        const test = written.get(mutant.id);
        return [
          `${paint.red('SURVIVED')} ${head}`,
          `  ${place}`,
          ...reasonsOf(mutant, outcome).map((line) => `  ${line}`),
          ...(test === undefined ? [] : [`  ${paint.green(`written: ${test}`)}`]),
        ];
      }
      case 'unproven':
        return [
          `${paint.yellow('SURVIVED')} ${head}`,
          `  ${place}`,
          ...reasonsOf(mutant, outcome).map((line) => `  ${line}`),
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
  const aside = equivalent === 0 ? '' : `, ${equivalent} equivalent mutants are not counted`;
  lines.push(
    `${plural(results.length, 'mutant')}: ${count('killed')} killed, ${count('survived', 'unproven')} survived${aside}; score ${mutationScore(results)} %`,
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** The rule for surviving mutants in code scanning. */
export const SURVIVOR = {
  text: 'A change of the policies that no test catches',
  help: 'weir mutate --write-tests',
  level: 'warning',
} as const;

/** Surviving mutants at the place of the mutation, for annotations and code scanning. */
export function survivors(results: readonly MutantResult[]): PolicyProblem[] {
  return results.flatMap(({ mutant, outcome }) => {
    if (outcome.state !== 'survived' && outcome.state !== 'unproven') return [];
    const message = [headOf(mutant), ...reasonsOf(mutant, outcome)].join('\n');
    return [{ code: 'surviving-mutant', level: 'warning', message, ...mutant.at, length: 1 }];
  });
}

/** One case per mutant, for JUnit: killed mutants pass, equivalent ones are skipped. */
export function mutationCases(results: readonly MutantResult[]): ReportCase[] {
  return results.map(({ mutant, outcome }) => {
    const { file, line } = mutant.at;
    const place = { suite: file, name: headOf(mutant), file, line };
    if (outcome.state === 'killed') return { ...place, outcome: 'passed' };
    if (outcome.state === 'equivalent') return { ...place, outcome: 'skipped', message: 'equivalent to the policy' };
    return { ...place, outcome: 'failed', message: reasonsOf(mutant, outcome).join('\n') };
  });
}

function headOf({ owners, text }: Mutant): string {
  return `${owners.length === 0 ? 'settings' : owners.join(', ')}  ${text}`;
}

/** Why a surviving mutant should have been caught. */
function reasonsOf(mutant: Mutant, outcome: Survived): string[] {
  if (outcome.state === 'survived') {
    const { environment, witness } = outcome;
    return [
      `no test catches it: ${environment}, stage ${witness.stage}, ${requestLine(witness.request)}`,
      `now and with the mutant: ${verdictLine(witness)}`,
    ];
  }
  if (mutant.why === undefined || mutant.isBeyondTexts !== true)
    return ['no test catches it, and no tried request is judged differently'];
  return [`no test catches it; a test with \`settings\` can. ${mutant.why}`];
}
