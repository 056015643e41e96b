/** Commands for writing policies: create, check, format, describe. Groups of commands have separate folders. */
import { z } from 'zod';
import { policyOwners } from '../../../src/authoring/index.js';
import { defineCommand, textOption } from '../../command.js';
import { EXIT, type Outcome } from '../../exit-code.js';
import { policyNamed, loadCompiledProject, POLICIES_OPTION } from '../../input/compiled-project.js';
import { write } from '../../io.js';
import { plural } from '../../output/plural.js';
import { policyCatalogue } from '../../output/policy-catalogue.js';
import { environmentFlag, environmentIn, environmentWord } from '../../vocabulary.js';
import { outputFile, writeNamedFile } from '../../named-files.js';

/** `weir docs`: prints the policies as a page for reviewers. */
export const docs = defineCommand({
  usage: 'docs [environment]',
  summary: 'Write a page about the policies for reviewers',
  positionals: environmentWord('default: all'),
  options: {
    ...POLICIES_OPTION,
    ...environmentFlag(),
    output: { alias: ['o', 'out'], ...textOption('Output file; default: stdout') },
  },
  examples: [['$0 docs --out docs/policy.md', 'the active rules of every environment']],
  output: z.object({ schemaVersion: z.literal(1), markdown: z.string() }),

  async run(args, context): Promise<Outcome> {
    const { io } = context;
    const { project, policies } = await loadCompiledProject(args, context);
    const named = environmentIn(args);
    const shown = named === undefined ? [...policies.values()] : [policyNamed(named, policies)];
    const page = policyCatalogue(shown, policyOwners(project.sources));
    const text = args.json ? `${JSON.stringify({ schemaVersion: 1, markdown: page })}\n` : page;
    const output = outputFile(args.output);
    if (output === undefined) await write(io.stdout, text);
    else await writeNamedFile(output, text, io);
    return {
      exit: EXIT.ok,
      words: `${plural(shown.length, 'environment')} described`,
    };
  },
});
