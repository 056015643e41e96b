/** Commands for bundles and deployments, from `weir build` to `weir drift`. Their shared code is in cli/deploy. */
import { z } from 'zod';
import { bundleDigest } from '../../../src/bundles/index.js';
import { BUNDLE_SCHEMA, bundleText } from '../../../src/core/index.js';
import { defineCommand } from '../../command.js';
import { buildBundle, buildBundleAt } from '../../deploy/built-bundle.js';
import { ENVIRONMENT_ARGUMENT, ENVIRONMENT_FLAG, REVISION_OPTION } from '../../deploy/flags.js';
import { short } from '../../deploy/plan-text.js';
import { EXIT, usageError } from '../../exit-code.js';
import { POLICIES_OPTION } from '../../input/compiled-project.js';
import { write } from '../../io.js';
import { neededEnvironment, outputFlag } from '../../vocabulary.js';
import { STDIN, writeNamedFile } from '../../named-files.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  file: z.string().describe('Path of the bundle; "-" for stdout.'),
  digest: z.string().describe('Digest of the policy, as recorded with decisions.'),
  bundle_digest: z.string().describe('Digest of the whole bundle; signatures cover this digest.'),
  environment: z.string(),
  files: z.int(),
  tests: z.int(),
  requires: BUNDLE_SCHEMA.shape.requires,
  source: BUNDLE_SCHEMA.shape.source,
});

/** `weir build <environment>`: writes one file with everything that a deployment needs. */
export const build = defineCommand({
  usage: 'build [environment]',
  summary: 'Pack a policy, its tests and its sources into one bundle file',
  positionals: ENVIRONMENT_ARGUMENT,
  options: {
    ...POLICIES_OPTION,
    ...ENVIRONMENT_FLAG,
    ...outputFlag('- for stdout; default: <environment>.bundle.json'),
    ...REVISION_OPTION,
  },
  output: OUTPUT,

  async run(args, context) {
    const { io } = context;
    const { output, ref, json } = args;
    const environment = neededEnvironment(args);
    const built =
      ref === undefined
        ? await buildBundle(args, environment, context)
        : await buildBundleAt(ref, args, environment, context);
    const { bundle } = built;
    const toStdout = output === STDIN;
    const file = toStdout ? '-' : (output ?? `${environment}.bundle.json`);
    if (toStdout && json) throw usageError('--json and -o - cannot be combined: both write to stdout');
    if (toStdout) await write(io.stdout, bundleText(bundle));
    else {
      await writeNamedFile(file, bundleText(bundle), io);
      const digests = { digest: bundle.policy.digest, bundle_digest: bundleDigest(bundle) };
      const { files, tests, requires, source } = bundle;
      const report: z.infer<typeof OUTPUT> = {
        schemaVersion: 1,
        file,
        ...digests,
        environment,
        files: files.length,
        tests: tests.length,
        requires,
        source,
      };
      const text = `${file}\npolicy  ${digests.digest}\nbundle  ${digests.bundle_digest}\n`;
      await write(io.stdout, json ? `${JSON.stringify(report, null, 2)}\n` : text);
    }
    const { commit, clean } = bundle.source;
    const from = commit === null ? 'no git commit' : `git ${short(commit)}${clean ? '' : ' with uncommitted changes'}`;
    return { exit: EXIT.ok, words: `${environment} ${short(bundle.policy.digest)} built from ${from}` };
  },
});
