/**
 * The commands `weir packs …` for rule packs that come with Weir. The packs themselves are built-in policies of src/core.
 */
import { z } from 'zod';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { columns } from '../../../output/columns.js';
import { plural } from '../../../output/plural.js';
import { builtInText, packNames } from '../../../packs/built-in.js';
import { andMore, LIMIT_OPTION, limited } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  packs: z.array(
    z.strictObject({
      name: z.string().describe('As `extends` takes it, such as `weir:pci@1`.'),
      title: z.string(),
      extends: z.array(z.string()),
      rules: z.int(),
    }),
  ),
  more: z.boolean(),
});

/** `weir packs list`: the policies that Weir brings along. */
export const packsList = defineCommand({
  usage: 'list',
  summary: 'List the rule packs that come with Weir',
  options: LIMIT_OPTION,
  examples: [['$0 packs list', 'then extend one by its name: extends: [weir:pci@1]']],
  output: OUTPUT,

  async run(args, { io }) {
    const all = packNames().map((name) => {
      const { title, bases, rules } = builtInText(name);
      return { name, title, extends: [...bases], rules };
    });
    const { rows: packs, more } = limited(all, args);
    const report: z.infer<typeof OUTPUT> = { schemaVersion: 1, packs, more };
    const rows = packs.map(({ name, title, rules }) => [name, String(rules), title]);
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : columns(['NAME', 'RULES', 'TITLE'], rows));
    return { exit: EXIT.ok, words: `${plural(packs.length, 'pack')}${andMore(more)}` };
  },
});
