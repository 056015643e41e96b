import path from 'node:path';
import { z } from 'zod';
import type { Bundle } from '../../../src/core/index.js';
import { SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand } from '../../command.js';
import { buildBundle } from '../../deploy/built-bundle.js';
import { ENVIRONMENT_ARGUMENT, ENVIRONMENT_FLAG } from '../../deploy/flags.js';
import { numbered } from '../../deploy/plan-text.js';
import { PolicyServer } from '../../deploy/policy-server.js';
import { EXIT } from '../../exit-code.js';
import { POLICIES_OPTION } from '../../input/compiled-project.js';
import { write } from '../../io.js';
import { plural } from '../../output/plural.js';
import { gitPatch, type FileStates } from '../../output/unified-diff.js';
import { neededEnvironment } from '../../vocabulary.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  environment: z.string(),
  deployment: z.int().nullable(),
  files: z.array(z.strictObject({ path: z.string(), change: z.enum(['added', 'removed', 'changed']) })),
  patch: z.string().describe('A patch for `git apply`, to be run in the same folder as this command.'),
});

/** `weir pull <environment> --as-patch`: prints server-side changes that the working tree lacks as a patch. Writes no file. */
export const pull = defineCommand({
  usage: 'pull [environment]',
  summary: 'Print server-side changes as a patch for your files',
  positionals: {
    ...ENVIRONMENT_ARGUMENT,
  },
  options: {
    ...SERVER_OPTIONS,
    ...POLICIES_OPTION,
    ...ENVIRONMENT_FLAG,
    'as-patch': {
      type: 'boolean',
      default: false,
      describe: 'Print the patch instead of the file names',
    },
  },
  output: OUTPUT,

  async run(args, context) {
    const { io } = context;
    const environment = neededEnvironment(args);
    const { bundle, project } = await buildBundle(args, environment, context);
    const server = await PolicyServer.of(args, environment, io, project.config);
    const { deployment } = await server.active();
    const deployed = await server.bundle();
    const folder = path.relative(io.cwd, project.root).split(path.sep).join('/');
    const states = differences(bundle, deployed, folder);
    const patch = gitPatch(states);
    const report: z.infer<typeof OUTPUT> = {
      schemaVersion: 1,
      environment,
      deployment: deployment?.number ?? null,
      files: states.map(({ path: name, before, after }) => ({
        path: name,
        change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
      })),
      patch,
    };
    const text = args.asPatch ? patch : states.map((one) => `${one.path}\n`).join('');
    await write(io.stdout, args.json ? `${JSON.stringify(report, null, 2)}\n` : text);
    const what = `${environment} ${numbered(deployment?.number ?? null)}`;
    return {
      exit: EXIT.ok,
      words:
        states.length === 0
          ? `the files are the same as in ${what}`
          : `${plural(states.length, 'file')} of ${what} differ`,
    };
  },
});

/** Files that differ between two bundles. Top-level folders that the server's bundle lacks completely do not count as removed. */
function differences(local: Bundle, deployed: Bundle, folder: string): FileStates[] {
  const texts = ({ files, tests }: Bundle) => new Map([...files, ...tests].map((file) => [file.path, file.text]));
  const [before, after] = [texts(local), texts(deployed)];
  const partOf = (name: string): string => name.replace(/\/.*/s, '');
  const known = new Set([...after.keys()].map(partOf));
  const names = [...new Set([...after.keys(), ...[...before.keys()].filter((name) => known.has(partOf(name)))])];
  return names
    .sort()
    .map((name) => ({
      path: folder === '' ? name : `${folder}/${name}`,
      before: before.get(name),
      after: after.get(name),
    }))
    .filter((one) => one.before !== one.after);
}
