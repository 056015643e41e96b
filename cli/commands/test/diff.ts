import { comparePolicies, policyChanges as writtenChanges } from '../../../src/authoring/index.js';
import { ENVIRONMENTS, type CompiledPolicy, type Environment, type PluginCatalog } from '../../../src/core/index.js';
import { yieldPoint } from '../../yield-point.js';
import { defineCommand, type CommandArgs } from '../../command.js';
import { EXIT, usageError, type Outcome } from '../../exit-code.js';
import { loadCompiledProject, POLICIES_OPTION } from '../../input/compiled-project.js';
import type { Revision } from '../../input/git-files.js';
import { policiesAt } from '../../input/policies-at.js';
import { write, type Io } from '../../io.js';
import { colours } from '../../output/colour.js';
import {
  countOf,
  countOfParts,
  DIFF_REPORT,
  diffGithub,
  diffJson,
  diffMarkdown,
  diffPretty,
  type EnvironmentDiff,
} from '../../output/diff-report.js';
import { policyChanges } from '../../output/policy-changes.js';
import { environmentFlag } from '../../vocabulary.js';

const OPTIONS = {
  ...POLICIES_OPTION,
  ...environmentFlag('default: all'),
  witness: { type: 'boolean', default: false, describe: 'Search for requests whose decision changes' },
  'fail-on-weakening': {
    type: 'boolean',
    default: false,
    describe: 'Exit 1 if a request is judged less strictly, or a budget, price or setting is weaker',
  },
  'max-requests': {
    type: 'number',
    requiresArg: true,
    default: 2_000,
    describe: 'Maximum number of requests tried per rule; of more requests, a sample is tried',
  },
  format: {
    choices: ['pretty', 'json', 'github', 'markdown'],
    default: 'pretty',
    describe: 'Output format',
  },
  all: { type: 'boolean', default: false, describe: 'Show every request instead of the first few' },
} as const;
const ARGUMENTS = {
  rev: { type: 'string', default: 'HEAD', describe: 'Git revision such as origin/main' },
} as const;

export type DiffArgs = CommandArgs<typeof OPTIONS, typeof ARGUMENTS>;

/** `weir diff`: compares the policies of the working tree with those of a revision, and finds requests that they judge differently. */
export const diff = defineCommand({
  usage: 'diff [rev]',
  summary: 'Show changes since a git revision, and requests judged differently',
  positionals: ARGUMENTS,
  options: OPTIONS,
  examples: [
    ['$0 diff origin/main --witness', 'changes of this branch, with requests that show them'],
    ['$0 diff origin/main --fail-on-weakening --format github', 'a gate for pull requests'],
  ],
  output: DIFF_REPORT,

  async run(args, context): Promise<Outcome> {
    if (!Number.isInteger(args.maxRequests) || args.maxRequests < 1)
      throw usageError('--max-requests takes a whole number from 1');
    const { io } = context;
    const next = await loadCompiledProject(args, context);
    const { revision, policies: base } = await policiesAt(args.rev, next, io);
    const environments = chosen(args, new Set([...base.keys(), ...next.policies.keys()]));
    const diffs: EnvironmentDiff[] = [];
    for (const environment of environments) {
      const [before, after] = [base.get(environment), next.policies.get(environment)];
      diffs.push(await diffOf(environment, before, after, args, next.catalog, yieldPoint(io)));
    }
    await write(io.stdout, reportOf(args, revision, diffs, io));
    return outcome(args, diffs, revision);
  },
});

function chosen({ env }: DiffArgs, known: ReadonlySet<Environment>): Environment[] {
  const ordered = ENVIRONMENTS.filter((environment) => known.has(environment));
  if (env === undefined || env === 'all') return ordered;
  const found = ordered.find((environment) => environment === env);
  if (found === undefined) throw usageError(`there is no environment "${env}"; there are: all, ${ordered.join(', ')}`);
  return [found];
}

async function diffOf(
  environment: Environment,
  base: CompiledPolicy | undefined,
  next: CompiledPolicy | undefined,
  args: DiffArgs,
  plugins: PluginCatalog,
  pause: () => Promise<void>,
): Promise<EnvironmentDiff> {
  const changes = policyChanges(base, next);
  if (base === undefined || next === undefined) {
    return { environment, state: base === undefined ? 'added' : 'removed', changes, written: [] };
  }
  if (base.canonical === next.canonical) return { environment, state: 'unchanged', changes, written: [] };
  const nowMs = Date.now();
  const changed = { environment, state: 'changed', changes, written: writtenChanges(base, next, nowMs) } as const;
  if (!args.witness && !args.failOnWeakening) return changed;
  const options = { plugins, nowMs, maxRequests: args.maxRequests, pause };
  return { ...changed, comparison: await comparePolicies(base, next, options) };
}

function reportOf(args: DiffArgs, revision: Revision, diffs: readonly EnvironmentDiff[], io: Io): string {
  switch (args.json ? 'json' : args.format) {
    case 'json':
      return `${JSON.stringify(diffJson(revision, diffs), null, 2)}\n`;
    case 'github':
      return diffGithub(diffs);
    case 'markdown':
      return diffMarkdown(diffs, args.all);
    case 'pretty':
      return diffPretty(diffs, colours(io.stdout, io.env, args.color), args.all);
  }
}

function outcome({ failOnWeakening }: DiffArgs, diffs: readonly EnvironmentDiff[], revision: Revision): Outcome {
  const weaker = countOf(diffs, 'weaker');
  const removed = diffs.filter(({ state }) => state === 'removed').map(({ environment }) => environment);
  if (failOnWeakening && removed.length > 0) {
    return { exit: EXIT.findings, words: `the environment ${removed.join(', ')} of ${revision.name} was removed` };
  }
  const parts = countOfParts(diffs);
  if (failOnWeakening && weaker + parts > 0) {
    const requests = `${weaker} ${weaker === 1 ? 'request is' : 'requests are'} judged less strictly than at ${revision.name}`;
    const others = `${parts} ${parts === 1 ? 'part is' : 'parts are'} weaker, or cannot be compared`;
    const words = parts === 0 ? requests : weaker === 0 ? `${others} with ${revision.name}` : `${requests}, ${others}`;
    return { exit: EXIT.findings, words };
  }
  const changed = diffs.filter(({ state }) => state !== 'unchanged').length;
  if (changed === 0) return { exit: EXIT.ok, words: `no change since ${revision.name}` };
  const words = `${changed} of ${diffs.length} environments changed since ${revision.name}`;
  const searched = diffs.some(({ comparison }) => comparison !== undefined);
  const beside = parts === 0 ? '' : `, ${parts} weaker parts`;
  return { exit: EXIT.ok, words: searched ? `${words}, ${weaker} weaker requests${beside}` : words };
}
