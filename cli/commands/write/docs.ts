/**
 * Commands for writing policies: create, check, format, describe. Groups of commands have folders of their own.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { policyOwners } from '../../../src/authoring/index.js';
import { defineCommand, textOption } from '../../command.js';
import { EXIT, usageError, type Outcome } from '../../exit-code.js';
import { loadCompiledProject, POLICIES_OPTION } from '../../input/compiled-project.js';
import { write } from '../../io.js';
import { policyCatalogue } from '../../output/policy-catalogue.js';

/** `weir docs`: the policies as a page for people who review them. */
export const docs = defineCommand({
  usage: 'docs',
  summary: 'Write a page about the policies for reviewers',
  options: {
    ...POLICIES_OPTION,
    out: textOption('Write the page to a file; default: stdout'),
  },
  examples: [['$0 docs --out docs/policy.md', 'the active rules of every environment']],
  output: z.object({ schemaVersion: z.literal(1), markdown: z.string() }),

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
});
