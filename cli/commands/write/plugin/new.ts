/**
 * The commands `weir plugin …`. The files that they write are in cli/templates.
 */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineCommand } from '../../../command.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { pluginFiles } from '../../../templates/plugin-files.js';

const PLUGIN_ID = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** `weir plugin new <id>`: writes the three files of a detector, whose spec passes. */
export const pluginNew = defineCommand({
  usage: 'new <id>',
  summary: 'Create a detector with code, passing tests and a page',
  positionals: {
    id: {
      type: 'string',
      demandOption: true,
      describe: 'Detector id in lower case with dashes; names the folder, the files and the detector in policies',
    },
  },

  async run({ id, json }, { io }) {
    if (!PLUGIN_ID.test(id))
      throw usageError('an id consists of lower-case letters and digits, separated by dashes: order-number');
    const plugins = join(io.cwd, 'plugins');
    if (!(await exists(plugins)))
      throw usageError('there is no folder "plugins" here: run this in the root of the repository');
    const folder = join(plugins, id);
    if (await exists(folder)) throw usageError(`plugins/${id} exists already: nothing was written`);
    await mkdir(folder);
    const files = pluginFiles(id);
    for (const { name, text } of files) await writeFile(join(folder, name), text, { flag: 'wx' });
    const paths = files.map(({ name }) => `plugins/${id}/${name}`);
    if (json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, id, files: paths })}\n`);
    else await write(io.stdout, `${paths.join('\n')}\n\nNext:\n${nextSteps(id)}\n`);
    return { exit: EXIT.ok, words: `plugins/${id} is ready; it finds EX-1234 until you change its pattern` };
  },
});

function nextSteps(id: string): string {
  return [
    `  1. npm run test:unit -- plugins/${id}     the tests pass`,
    `  2. write an example of your own in plugins/${id}/${id}.ts, see it fail, then write the pattern`,
    `  3. add the detector to the list in plugins/light-plugins.ts, and describe it in plugins/${id}/${id}.md`,
    '  4. npm run gen                         adds the detector to schemas and pages; npm run typecheck checks types',
  ].join('\n');
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
