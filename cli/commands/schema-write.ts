import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Argv } from 'yargs';
import { z } from 'zod';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT } from '../exit-code.js';
import { policiesRoot } from '../input/project.js';
import { staleSchemas } from '../input/stale-schemas.js';
import { write } from '../io.js';
import { plural } from '../output/plural.js';

export interface SchemaWriteArgs extends GlobalArgs {
  readonly out?: string;
  readonly check: boolean;
}

/** `weir schema write`: what an editor completes and checks policies with. */
export const schemaWrite: Command<SchemaWriteArgs> = {
  output: z.strictObject({
    schemaVersion: z.literal(1),
    folder: z.string(),
    files: z.array(z.string()),
    changed: z.array(z.string()).describe('Files that were, or under --check would be, written.'),
  }),

  build(parser) {
    return parser
      .option('out', { type: 'string', requiresArg: true, describe: 'Folder; default: _schema in the policies folder' })
      .option('check', {
        type: 'boolean',
        default: false,
        describe: 'Write nothing; exit 1 if a file is out of date',
      })
      .epilogue(
        'First line of a policy: # yaml-language-server: $schema=../_schema/policy.v1.json',
      ) as unknown as Argv<SchemaWriteArgs>;
  },

  async run({ out, check, json }, { io, catalog }) {
    const root = await policiesRoot(io);
    const folder = out ?? path.join(root, '_schema');
    const absolute = path.resolve(io.cwd, folder);
    const { names: files, stale } = await staleSchemas(path.resolve(io.cwd, root), absolute, await catalog());
    const changed = stale.map(({ name }) => name);
    for (const { file, text } of check ? [] : stale) {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const shown = folder.split(path.sep).join('/');
    if (json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, folder: shown, files, changed })}\n`);
    else await write(io.stdout, changed.map((name) => `${shown}/${name}\n`).join(''));
    if (changed.length === 0) return { exit: EXIT.ok, words: `${plural(files.length, 'schema')} in step` };
    if (check)
      return { exit: EXIT.findings, words: `${plural(changed.length, 'schema')} out of step; run: weir schema write` };
    return { exit: EXIT.ok, words: `${plural(changed.length, 'schema')} written into ${shown}` };
  },
};
