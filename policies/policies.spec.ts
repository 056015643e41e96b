import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PLUGINS } from '../plugins/index.js';
import {
  mutantsOf,
  preparePolicyTests,
  runMutants,
  runPolicyTests,
  type DetectorMode,
  type PolicyTestResult,
} from '../src/authoring/index.js';
import {
  compilePolicy,
  ENVIRONMENTS,
  formatProblems,
  type CompiledPolicy,
  type Environment,
} from '../src/core/index.js';

const ROOT = import.meta.dirname;

/** Detectors that find a credential by its form or its name alone: a hit may be an example, or long expired. */
const NOT_SURELY_LIVE = [
  ...['basic_auth', 'bearer_token', 'command_password', 'generic_secret', 'jwt', 'password_hash', 'prefixed_token'],
  ...['session_cookie', 'signed_url', 'url_credentials'],
];

function filesIn(folder: string, end: string): { path: string; text: string }[] {
  return readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith(end))
    .sort()
    .map((name) => ({ path: `policies/${folder}/${name}`, text: readFileSync(path.join(ROOT, folder, name), 'utf8') }));
}

function compiled(environment: Environment): CompiledPolicy {
  const files = [...filesIn('_shared', '.yaml'), ...filesIn(environment, '.yaml')];
  const { policy, problems } = compilePolicy({ environment, files, plugins: PLUGINS });
  const text = formatProblems(problems, new Map(files.map((file) => [file.path, file.text])));
  if (policy === undefined || problems.length > 0) throw new Error(text);
  return policy;
}

function policies(): Map<Environment, CompiledPolicy> {
  return new Map(ENVIRONMENTS.map((environment) => [environment, compiled(environment)]));
}

function report(result: PolicyTestResult): string {
  const place = `${result.file}:${result.line} ${result.id} (${result.environment})`;
  if (result.status === 'skipped') return `${place} skipped`;
  const lines = result.failures.map(({ field, expected, actual, why }) =>
    [`  ${field}: expected ${expected}, got ${actual}`, ...why.map((line) => `    ${line}`)].join('\n'),
  );
  return [place, ...lines].join('\n');
}

async function run(detectors: DetectorMode): Promise<readonly PolicyTestResult[]> {
  const files = filesIn('tests', '.test.yaml');
  const nowMs = Date.parse('2026-11-21T09:00:00Z');
  const { results, problems } = await runPolicyTests({
    files,
    policies: policies(),
    plugins: PLUGINS,
    nowMs,
    detectors,
  });
  expect(formatProblems(problems, new Map(files.map((file) => [file.path, file.text])))).toBe('');
  return results;
}

describe('the shipped policies', () => {
  it.each(ENVIRONMENTS)('compile for %s without a warning', (environment) => {
    expect(compiled(environment).environment).toBe(environment);
  });

  it.each(['stub', 'live'] as const)('pass their tests with %s detectors', async (mode) => {
    const results = await run(mode);
    expect(results.length).toBeGreaterThan(0);
    expect(results.filter(({ status }) => status !== 'passed').map(report)).toEqual([]);
  });

  it('have a test in which each rule fires and one in which it does not, in every environment', async () => {
    const results = await run('stub');
    for (const [environment, { rules }] of policies()) {
      const decisions = results.flatMap((result) =>
        result.environment === environment && 'decision' in result && result.decision !== undefined
          ? [result.decision]
          : [],
      );
      for (const { id, stage } of rules) {
        const judged = decisions.filter(({ leaves }) => Object.keys(leaves).some((leaf) => leaf.startsWith(`${id}#`)));
        const fired = judged.filter((decision) =>
          decision.fired.some(({ rule, unavailable }) => rule === id && !unavailable),
        );
        expect({ environment, stage, id, fires: fired.length > 0 }).toMatchObject({ fires: true });
        expect({ environment, stage, id, rests: fired.length < judged.length }).toMatchObject({ rests: true });
      }
    }
  });

  it('have a test for each blocking or redacting rule in which a fact that it needs is unavailable', async () => {
    const results = await run('stub');
    for (const [environment, { rules }] of policies()) {
      const failedClosed = new Set(
        results.flatMap((result) =>
          result.environment === environment && 'decision' in result
            ? (result.decision?.fired ?? []).filter(({ unavailable }) => unavailable).map(({ rule }) => rule)
            : [],
        ),
      );
      const acting = rules.filter(({ action }) => action === 'block' || action === 'redact').map(({ id }) => id);
      expect([...failedClosed].sort()).toEqual([...acting, 'unread'].sort());
    }
  });

  it('have tests that fail if the handling of unread content is weakened', async () => {
    const input = {
      files: filesIn('tests', '.test.yaml').filter(({ path }) => path.includes('contents')),
      policies: policies(),
      plugins: PLUGINS,
      nowMs: Date.parse('2026-11-21T09:00:00Z'),
      detectors: 'stub' as const,
    };
    const { prepared } = await preparePolicyTests(input);
    const { results } = await runPolicyTests(input);
    const mutants = mutantsOf(policies()).filter(({ text }) => text.startsWith('unread.'));
    expect(mutants).toHaveLength(6);
    for await (const { mutant, outcome } of runMutants(mutants, { ...input, tests: prepared, results })) {
      expect({ ...mutant.at, text: mutant.text, state: outcome.state }).toMatchObject({ state: 'killed' });
    }
  });

  it('refuse every credential that is surely live, and mask the same ones in answers', () => {
    const known = PLUGINS.detectors.find(({ meta }) => meta.id === 'secrets')?.meta.codes ?? {};
    const live = Object.keys(known)
      .filter((code) => known[code]?.enabled === true && !NOT_SURELY_LIVE.includes(code))
      .sort();
    const { lists, rules } = compiled('production');
    const masked = rules.find(({ id }) => id === 'secrets.redact-leaked-credential')?.redact?.targets ?? [];
    expect([...(lists['live_credentials'] ?? [])].sort()).toEqual(live);
    expect(masked.map(({ code }) => code).sort()).toEqual(live);
  });

  it('enforce in staging and production alike, and only watch in development', () => {
    const [development, staging, production] = ENVIRONMENTS.map(compiled);
    expect([development?.monitor, staging?.monitor, production?.monitor]).toEqual([true, false, false]);
    expect([development?.clientMonitorMode, staging?.clientMonitorMode, production?.clientMonitorMode]).toEqual([
      'honor',
      'honor',
      'ignore',
    ]);
    expect(staging?.rules).toEqual(production?.rules);
  });
});
