/**
 * The commands `weir packs …` for rule packs that come with Weir. The packs themselves are built-in policies of src/core.
 */
import { z } from 'zod';
import { defineCommand } from '../../../command.js';
import { columns } from '../../../output/columns.js';
import { entryList } from '../../../output/entry-list.js';
import { builtInText, packNames } from '../../../packs/built-in.js';
import { LIMIT_OPTION, limited } from '../../../vocabulary.js';

const PACKS = entryList(
  'pack',
  z.strictObject({
    name: z.string().describe('Name for `extends`, such as `weir:pci@1`.'),
    title: z.string(),
    extends: z.array(z.string()),
    rules: z.int(),
  }),
);

/** `weir packs list`: lists the built-in policies. */
export const packsList = defineCommand({
  usage: 'list',
  summary: 'List the rule packs that come with Weir',
  options: LIMIT_OPTION,
  examples: [['$0 packs list', 'then extend one by its name: extends: [weir:pci@1]']],
  output: PACKS.output,

  async run(args, { io }) {
    const all = packNames().map((name) => {
      const { title, bases, rules } = builtInText(name);
      return { name, title, extends: [...bases], rules };
    });
    return PACKS.print(limited(all, args), args, io, (packs) =>
      columns(
        ['NAME', 'RULES', 'TITLE'],
        packs.map(({ name, title, rules }) => [name, String(rules), title]),
      ),
    );
  },
});
