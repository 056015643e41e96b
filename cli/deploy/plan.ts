import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { bundleDigest } from '../../src/bundles/index.js';
import {
  comparePolicies,
  coverageOf,
  lintPolicies,
  POLICY_CHANGE,
  policyChanges,
  requestLine,
  runPolicyTests,
  verdictLine,
  type ProjectConfig,
} from '../../src/authoring/index.js';
import {
  BUNDLE_SCHEMA,
  DEPLOY_BODY,
  DEPLOYMENT,
  entryFiles,
  ENVIRONMENTS,
  readBundle,
  type Bundle,
  type CompiledPolicy,
  type PluginCatalog,
} from '../../src/core/index.js';
import { yieldPoint } from '../yield-point.js';
import { CliError, EXIT, usageError } from '../exit-code.js';
import type { Io } from '../io.js';

import { compileBundle } from './built-bundle.js';
import type { PolicyServer } from './policy-server.js';
import { cannotRead, STDIN } from '../named-files.js';

/** Maximum number of examples of changed verdicts in a plan without `--all`; the total number of changed verdicts is always stored. */
const MAX_EXAMPLES = 20;

const COUNTS = z.strictObject({ weaker: z.int(), stricter: z.int(), other: z.int() });

export const EFFECT = z.strictObject({
  requests: z.int().describe('Number of requests that both policies judged.'),
  changed: COUNTS,
  complete: z
    .boolean()
    .describe('False if some rules have too many combinations, so that only a part of them was tried.'),
  examples: z.array(
    z.strictObject({
      direction: z.enum(['weaker', 'stricter', 'other']),
      stage: z.string(),
      verdict: z.string().describe('Verdicts of the old and the new policy, such as `block → allow`.'),
      rules: z.array(z.string()),
      when: z.string().describe('Description of the request.'),
    }),
  ),
  changed_detectors: z.array(z.string()),
});

const PLUGIN_CHANGE = z.strictObject({
  plugin: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});

const CHECKS = z.strictObject({
  lint: z.strictObject({ errors: z.int(), warnings: z.int(), findings: z.array(z.string()) }),
  tests: z.strictObject({ passed: z.int(), failed: z.int(), skipped: z.int(), failures: z.array(z.string()) }),
  coverage: z.strictObject({ percent: z.number() }),
});

const REPLICAS = z.strictObject({ active: z.int(), pending: z.int(), failed: z.int(), lost: z.int() });

/** A plan file: what will be deployed, the base deployment, and the effects. */
export const PLAN = z.strictObject({
  schemaVersion: z.literal(1),
  kind: z.literal('plan'),
  environment: BUNDLE_SCHEMA.shape.environment,
  action: z.enum(['deploy', 'promote']),
  base: DEPLOY_BODY.shape.base,
  digest: z.string().describe('Digest of the policy.'),
  bundle_digest: z.string(),
  bundle: BUNDLE_SCHEMA,
  untested: z.boolean(),
  changes: z.array(POLICY_CHANGE),
  /** Plugins whose version or revision differs from that of the active bundle. */
  plugins: z.array(PLUGIN_CHANGE),
  effect: EFFECT,
  checks: CHECKS,
  /** An emergency change that the sources lack: deploying reverts it. */
  emergency: DEPLOYMENT.nullable(),
  replicas: REPLICAS,
});
export type Plan = z.infer<typeof PLAN>;

export interface PlanInput {
  readonly bundle: Bundle;
  readonly policy: CompiledPolicy;
  readonly catalog: PluginCatalog;
  readonly server: PolicyServer;
  readonly action: Plan['action'];
  readonly untested: boolean;
  /** Whether the plan contains examples of all changed verdicts instead of only the first ones. */
  readonly all?: boolean;
  readonly config?: ProjectConfig;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly io: Io;
}

/** Compares a bundle with the active policy and runs the same checks as the server. Nothing is changed. */
export async function makePlan(input: PlanInput): Promise<Plan> {
  const { bundle, policy, catalog, server, nowMs, io } = input;
  const active = await server.active();
  const before = await server.bundle();
  const base = await compileBundle(before, catalog, io, 'the active policy');
  const emergency = active.deployment?.emergency === true ? active.deployment : null;
  const count = (state: string): number => active.replicas.filter((one) => one.state === state).length;
  return {
    schemaVersion: 1,
    kind: 'plan',
    environment: bundle.environment,
    action: input.action,
    base: active.base,
    digest: bundle.policy.digest,
    bundle_digest: bundleDigest(bundle),
    bundle,
    untested: input.untested,
    changes: policyChanges(base, policy, nowMs),
    plugins: pluginChanges(before.requires, bundle.requires),
    effect: await effectOf(base, policy, catalog, nowMs, yieldPoint(io), input.all),
    checks: await checksOf(input),
    emergency: emergency !== null && !contains(bundle, before, emergency.changed_files) ? emergency : null,
    replicas: { active: count('active'), pending: count('pending'), failed: count('failed'), lost: count('lost') },
  };
}

/** Counts the requests that two policies judge differently, and returns the simplest ones as examples. */
export async function effectOf(
  base: CompiledPolicy,
  next: CompiledPolicy,
  plugins: PluginCatalog,
  nowMs: number,
  pause: () => Promise<void>,
  all = false,
): Promise<Plan['effect']> {
  const { changes, searched, changedDetectors } = await comparePolicies(base, next, { plugins, nowMs, pause });
  const count = (wanted: string): number => changes.filter(({ direction }) => direction === wanted).length;
  return {
    requests: searched.reduce((sum, { requests }) => sum + requests, 0),
    changed: { weaker: count('weaker'), stricter: count('stricter'), other: count('other') },
    complete: searched.every(({ sampled }) => sampled.length === 0),
    examples: changes.slice(0, all ? undefined : MAX_EXAMPLES).map((change) => ({
      direction: change.direction,
      stage: change.stage,
      verdict: verdictLine(change),
      rules: [...change.rules],
      when: requestLine(change.request),
    })),
    changed_detectors: [...changedDetectors],
  };
}

async function checksOf({ bundle, policy, catalog, config, nowMs, io }: PlanInput): Promise<Plan['checks']> {
  const { environment, files, tests } = bundle;
  const policies = new Map([[environment, policy]]);
  const pause = yieldPoint(io);
  const entry = entryFiles(files, environment);
  const loaded = closureOf(bundle);
  const { findings } = await lintPolicies({
    environments: [{ environment, files: loaded, entry }],
    // Other environments may load the shared files as well.
    elsewhere: new Set(loaded.map(({ path }) => path).filter((path) => !entry.includes(path))),
    plugins: catalog,
    nowMs,
    pause,
    ...(config === undefined ? {} : { levels: config.lintLevels, maxExceptionMs: config.maxExceptionMs }),
  });
  const open = findings.filter(({ ignored }) => ignored === undefined);
  const run =
    tests.length === 0
      ? { results: [], problems: [] }
      : await runPolicyTests({ files: tests, policies, environments: [environment], plugins: catalog, nowMs, pause });
  const [first] = run.problems;
  if (first !== undefined)
    throw new CliError(EXIT.uncompilable, `${first.file}:${first.line} ${first.code} ${first.message}`);
  const count = (wanted: string): number => run.results.filter(({ status }) => status === wanted).length;
  return {
    lint: {
      errors: open.filter(({ level }) => level === 'error').length,
      warnings: open.filter(({ level }) => level === 'warning').length,
      findings: open.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`),
    },
    tests: {
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped'),
      failures: run.results
        .filter(({ status }) => status === 'failed')
        .map(({ file, line, id }) => `${file}:${line} ${id}`),
    },
    coverage: { percent: coverageOf(policies, run.results, catalog)[0]?.percent ?? 0 },
  };
}

/** Plugins with different versions or revisions in two bundles. With different plugins, the same files compile to different digests. */
export function pluginChanges(before: Bundle['requires'], after: Bundle['requires']): z.infer<typeof PLUGIN_CHANGE>[] {
  const named = (list: Bundle['requires']): Map<string, string> =>
    new Map(list.map(({ plugin, version, revision }) => [plugin, `${version} revision ${revision}`]));
  const [old, now] = [named(before), named(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .sort()
    .filter((plugin) => old.get(plugin) !== now.get(plugin))
    .map((plugin) => ({ plugin, before: old.get(plugin) ?? null, after: now.get(plugin) ?? null }));
}

/** The files of a bundle without those of other environments. */
function closureOf({ files, environment }: Bundle): Bundle['files'] {
  const others = ENVIRONMENTS.filter((name) => name !== environment);
  return files.filter(({ path }) => !others.some((name) => path.startsWith(`${name}/`)));
}

/** Whether the sources contain an emergency change, because the patch of `weir pull` was applied. */
function contains(bundle: Bundle, deployed: Bundle, changed: readonly string[]): boolean {
  const textIn = ({ files }: Bundle, path: string): string | undefined =>
    files.find((file) => file.path === path)?.text;
  return changed.every((path) => textIn(bundle, path) === textIn(deployed, path));
}

/**
 * Reads a plan file.
 *
 * @throws CliError (exit 2) if it is not a plan, or was changed after it was made
 */
export async function readPlan(file: string, io: Io): Promise<Plan> {
  if (file === STDIN)
    throw usageError('a plan is read from a file, not from stdin, so that the reviewed plan is deployed');
  const text = await readFile(resolve(io.cwd, file), 'utf8').catch((error: unknown) => {
    throw cannotRead(file, error);
  });
  const parsed = PLAN.safeParse(parseJson(text));
  if (!parsed.success) throw usageError(`${file} is not a plan of this version of weir`);
  const plan = parsed.data;
  const isWhole =
    'bundle' in readBundle(plan.bundle) &&
    bundleDigest(plan.bundle) === plan.bundle_digest &&
    plan.bundle.policy.digest === plan.digest &&
    plan.bundle.environment === plan.environment;
  if (!isWhole) throw usageError(`${file} was changed after the plan was made: make a new plan`);
  return plan;
}

/** Whether the plan changes nothing: its policy has the digest of the base. */
export function isSettled(plan: Plan): boolean {
  return plan.digest === plan.base.digest;
}

/** The reason why a plan cannot be deployed, with an exit code; undefined if it can. */
export function obstacle({ checks, untested, environment }: Plan): { exit: 1 | 7; words: string } | undefined {
  const { lint, tests } = checks;
  if (tests.failed > 0)
    return { exit: EXIT.findings, words: `${tests.failed} of ${tests.passed + tests.failed} tests failed` };
  if (tests.passed === 0 && !untested)
    return { exit: EXIT.nothing, words: `no test was run for ${environment}; --allow-untested deploys without tests` };
  if (lint.errors > 0)
    return { exit: EXIT.findings, words: `${lint.errors} lint error${lint.errors === 1 ? '' : 's'}` };
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
