/** The commands `weir schema …`. The schemas are generated in src/authoring/schema. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { defineCommand, textOption } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { policiesRoot } from '../../../input/project.js';
import { staleSchemas } from '../../../input/stale-schemas.js';
import { write } from '../../../io.js';
import { outputPath } from '../../../named-files.js';
import { plural } from '../../../output/plural.js';

/** `weir schema write`: writes the schemas with which editors complete and check policies. */
export const schemaWrite = defineCommand({
  usage: 'write',
  summary: 'Write the JSON Schemas of the file formats, with the facts of the loaded plugins',
  options: {
    output: { alias: ['o', 'out'], ...textOption('Output folder; default: _schema in the policies folder') },
    check: {
      type: 'boolean',
      default: false,
      describe: 'Write nothing; exit 1 if a file is out of date',
    },
  },
  epilogue: 'First line of a policy: # yaml-language-server: $schema=../_schema/policy.v1.json',
  output: z.strictObject({
    schemaVersion: z.literal(1),
    folder: z.string(),
    files: z.array(z.string()),
    changed: z.array(z.string()).describe('Written files; with --check, files that would be written.'),
  }),

  async run({ output: out, check, json }, { io, catalog }) {
    const root = await policiesRoot(io);
    const folder = out ?? path.join(root, '_schema');
    const absolute = outputPath(folder, io);
    const { names: files, stale } = await staleSchemas(path.resolve(io.cwd, root), absolute, await catalog());
    const changed = stale.map(({ name }) => name);
    for (const { file, text } of check ? [] : stale) {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const shown = folder.split(path.sep).join('/');
    if (json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, folder: shown, files, changed })}\n`);
    else await write(io.stdout, changed.map((name) => `${shown}/${name}\n`).join(''));
    if (changed.length === 0) return { exit: EXIT.ok, words: `${plural(files.length, 'schema')} up to date` };
    if (check)
      return { exit: EXIT.findings, words: `${plural(changed.length, 'schema')} out of date; run: weir schema write` };
    return { exit: EXIT.ok, words: `${plural(changed.length, 'schema')} written into ${shown}` };
  },
});
