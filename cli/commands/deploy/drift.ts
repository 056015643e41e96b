import { z } from 'zod';
import { ACTIVE_POLICY, DEPLOYMENT, REPLICA, type Bundle, type Environment } from '../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand } from '../../command.js';
import { buildBundle, buildBundleAt } from '../../deploy/built-bundle.js';
import { ENVIRONMENT_FLAG, REVISION_OPTION } from '../../deploy/flags.js';
import { numbered, short } from '../../deploy/plan-text.js';
import { pluginChanges } from '../../deploy/plan.js';
import { PolicyServer } from '../../deploy/policy-server.js';
import { liveOf, replicaLines } from '../../deploy/settle.js';
import { EXIT } from '../../exit-code.js';
import { POLICIES_OPTION } from '../../input/compiled-project.js';
import { readProject } from '../../input/project.js';
import { write } from '../../io.js';
import { colours, type Colours } from '../../output/colour.js';
import { environmentIn, environmentWord } from '../../vocabulary.js';

const ENVIRONMENT_DRIFT = z.strictObject({
  environment: ACTIVE_POLICY.shape.environment,
  expected: z.string().describe('Digest of the policy in the sources.'),
  drift: z.boolean(),
  reasons: z.array(z.string()),
  deployment: DEPLOYMENT.nullable(),
  replicas: z.array(REPLICA),
});
const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  sources: z.strictObject({ commit: z.string().nullable(), clean: z.boolean() }),
  environments: z.array(ENVIRONMENT_DRIFT),
});
type EnvironmentDrift = z.infer<typeof ENVIRONMENT_DRIFT>;

/** `weir drift [environment]`: checks whether every replica runs the policy of the sources. */
export const drift = defineCommand({
  usage: 'drift [environment]',
  summary: 'Check that every replica runs the policy of the sources',
  positionals: {
    ...environmentWord('default: all in the policies folder'),
  },
  options: {
    ...SERVER_OPTIONS,
    ...POLICIES_OPTION,
    ...ENVIRONMENT_FLAG,
    ...REVISION_OPTION,
  },
  output: OUTPUT,

  async run(args, context) {
    const { io } = context;
    const project = await readProject(io, args.policies === undefined ? {} : { folder: args.policies });
    const named = environmentIn(args);
    const environments = named === undefined ? project.environments.map(({ environment }) => environment) : [named];
    const found: EnvironmentDrift[] = [];
    let sources: z.infer<typeof OUTPUT>['sources'] = { commit: null, clean: false };
    for (const environment of environments) {
      const { bundle } =
        args.ref === undefined
          ? await buildBundle(args, environment, context)
          : await buildBundleAt(args.ref, args, environment, context);
      sources = bundle.source;
      const server = await PolicyServer.of(args, environment, io, project.config);
      found.push(await driftOf(environment, bundle, server));
    }
    const paint = colours(io.stdout, io.env, args.color);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, sources, environments: found };
    const text = found.flatMap((one) => lines(one, paint)).join('\n');
    await write(io.stdout, args.json ? `${JSON.stringify(report, null, 2)}\n` : `${text}\n`);
    const drifted = found.filter((one) => one.drift).map(({ environment }) => environment);
    if (drifted.length === 0) return { exit: EXIT.ok, words: 'no drift: every replica runs the policy of the sources' };
    return { exit: EXIT.pending, words: `drift in ${drifted.join(', ')}` };
  },
});

async function driftOf(environment: Environment, bundle: Bundle, server: PolicyServer): Promise<EnvironmentDrift> {
  const { deployment, digest, replicas } = await server.active();
  const expected = bundle.policy.digest;
  const live = liveOf({ replicas });
  const reasons: string[] = [];
  if (deployment?.emergency === true)
    reasons.push(`${numbered(deployment.number)} was changed on the server: ${deployment.because ?? ''}`);
  if (digest !== expected) {
    reasons.push(`the sources have ${short(expected)}, ${numbered(deployment?.number ?? null)} has ${short(digest)}`);
    for (const { plugin, before, after } of pluginChanges((await server.bundle()).requires, bundle.requires))
      reasons.push(`plugin ${plugin} is ${after ?? 'not used'} in the sources, ${before ?? 'not used'} on the server`);
  }
  for (const { name, state, digest: own, deployment: at } of live) {
    if (state === 'failed') reasons.push(`${name} cannot activate ${numbered(deployment?.number ?? null)}`);
    if (own !== digest) reasons.push(`${name} runs ${own === null ? 'no policy' : `${short(own)} (${numbered(at)})`}`);
  }
  if (live.length === 0) reasons.push('no replica has reported its policy');
  // An emergency change does not count as drift once the sources contain it.
  const isAdopted = deployment?.emergency === true && digest === expected && reasons.length === 1;
  return { environment, expected, drift: reasons.length > 0 && !isAdopted, reasons, deployment, replicas };
}

function lines(
  { environment, drift: drifted, reasons, replicas, expected }: EnvironmentDrift,
  paint: Colours,
): string[] {
  const state = drifted ? paint.red('drift') : paint.green('no drift');
  return [
    `${paint.bold(environment)}  ${short(expected)}  ${state}`,
    ...reasons.map((reason) => `  ${reason}`),
    ...replicaLines({ replicas }),
  ];
}
