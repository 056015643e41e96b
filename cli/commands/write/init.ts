import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { defineCommand, textOption } from '../../command.js';
import { EXIT, usageError } from '../../exit-code.js';
import { projectSchemas } from '../../input/project-schemas.js';
import { write } from '../../io.js';
import { packsNamed } from '../../packs/built-in.js';
import { plural } from '../../output/plural.js';
import { continuousIntegration } from '../../templates/continuous-integration.js';
import { policyProject } from '../../templates/policy-project.js';

/** `weir init`: creates a policies folder that passes lint and its tests. Existing files are never overwritten. */
export const init = defineCommand({
  usage: 'init [folder]',
  summary: 'Create a policies folder with rules, tests and schemas',
  positionals: {
    folder: { type: 'string', default: 'policies', describe: 'Folder to create' },
  },
  options: {
    owner: { type: 'string', default: 'security@example.com', describe: 'Owner of the rules' },
    pack: {
      type: 'string',
      array: true,
      requiresArg: true,
      default: [],
      describe: 'Also add rule packs such as pci, with their tests; see weir packs list',
    },
    ci: textOption(
      'Also create a GitHub workflow that uses this Weir action, such as ./weir or owner/weir@commit, and pre-commit hooks',
    ),
  },
  examples: [
    ['$0 init --owner security@acme.example', 'then: weir lint && weir test'],
    ['$0 init --pack pci coding-agent', 'adds two rule packs to the baseline'],
    ['$0 init --ci acme/weir@v0.1.0', 'also creates .github/workflows/policies.yml and .pre-commit-config.yaml'],
  ],
  output: z.strictObject({
    schemaVersion: z.literal(1),
    folder: z.string(),
    written: z.array(z.string()),
    kept: z.array(z.string()).describe('Files that existed already and were not changed.'),
  }),

  async run({ folder, owner, pack, ci, json }, { io, catalog }) {
    if (!/^[\w.+-]+(?:@[\w.-]+)?$/.test(owner)) throw usageError('--owner takes an address or a plain name');
    if (ci !== undefined && !/^[\w.-]+(?:\/[\w.-]+)+(?:@[\w./-]+)?$/.test(ci))
      throw usageError('--ci takes an action: a path such as ./weir, or owner/weir@commit');
    if (ci !== undefined && !/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/.test(folder))
      throw usageError('--ci needs a policies folder below the current folder, without spaces in its name');
    const packs = packsNamed(pack);
    const root = path.resolve(io.cwd, folder);
    const written: string[] = [];
    const kept: string[] = [];
    const put = async (file: string, text: string): Promise<void> => {
      const target = path.resolve(root, file);
      await mkdir(path.dirname(target), { recursive: true });
      const isNew = await writeNew(target, text);
      (isNew ? written : kept).push(path.relative(io.cwd, target).split(path.sep).join('/'));
    };
    for (const [file, text] of Object.entries(policyProject(owner, packs))) await put(file, text);
    for (const [file, schema] of Object.entries(await projectSchemas(root, await catalog()))) {
      await put(`_schema/${file}`, `${JSON.stringify(schema, null, 1)}\n`);
    }
    if (ci !== undefined) {
      for (const [file, text] of Object.entries(continuousIntegration(folder, ci)))
        await put(path.join(io.cwd, file), text);
    }
    if (json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, folder, written, kept })}\n`);
    else {
      const lines = [...written.map((file) => `written  ${file}`), ...kept.map((file) => `kept     ${file}`)];
      await write(io.stdout, `${lines.join('\n')}\n\nNext:\n${nextSteps(folder)}\n`);
    }
    if (written.length === 0)
      return { exit: EXIT.ok, words: `all ${kept.length} files existed already: nothing was written` };
    return { exit: EXIT.ok, words: `${plural(written.length, 'file')} written, ${kept.length} kept` };
  },
});

function nextSteps(folder: string): string {
  const named = folder === 'policies' ? '' : ` ${folder}`;
  const flagged = folder === 'policies' ? '' : ` --policies ${folder}`;
  return [
    `  weir lint${named}    find errors, doubtful conditions and missing tests`,
    `  weir test${flagged}    run the tests in ${folder}/tests`,
    `  Edit ${folder}/_shared/organisation.yaml in an editor with the YAML language server: it completes facts and operators.`,
  ].join('\n');
}

/** Writes a new file; returns false if the file exists. */
async function writeNew(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
