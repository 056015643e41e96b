import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Argv } from 'yargs';
import { z } from 'zod';
import { policyOwners } from '../../src/authoring/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT, usageError, type Outcome } from '../exit-code.js';
import { loadCompiledProject, policiesOption, type PoliciesArgs } from '../input/compiled-project.js';

import { write } from '../io.js';
import { policyCatalogue } from '../output/policy-catalogue.js';

export interface DocsArgs extends GlobalArgs, PoliciesArgs {
  readonly out: string | undefined;
}

/** `weir docs`: the policies as a page for people who review them. */
export const docs: Command<DocsArgs> = {
  output: z.object({ schemaVersion: z.literal(1), markdown: z.string() }),

  build(parser) {
    return policiesOption(parser)
      .option('out', { type: 'string', requiresArg: true, describe: 'Write the page to a file; default: stdout' })
      .example('$0 docs --out docs/policy.md', 'what is in force, in every environment') as unknown as Argv<DocsArgs>;
  },

  async run(args, context): Promise<Outcome> {
    const { io } = context;
    const { project, policies } = await loadCompiledProject(args, context);
    const page = policyCatalogue([...policies.values()], policyOwners(project.sources));
    const text = args.json ? `${JSON.stringify({ schemaVersion: 1, markdown: page })}\n` : page;
    if (args.out === undefined) await write(io.stdout, text);
    else {
      try {
        await writeFile(path.resolve(io.cwd, args.out), text);
      } catch (error) {
        throw usageError(`cannot write ${args.out}: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
      }
    }
    return {
      exit: EXIT.ok,
      words: `${policies.size} ${policies.size === 1 ? 'environment' : 'environments'} described`,
    };
  },
};
