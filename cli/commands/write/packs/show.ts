import { z } from 'zod';
import { defineCommand } from '../../../command.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { builtInText, packNamed } from '../../../packs/built-in.js';
import { PACKS, shortName } from '../../../packs/index.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  name: z.string(),
  title: z.string(),
  extends: z.array(z.string()),
  policy: z.string().describe('Text of the policy file of the pack.'),
  tests: z.string().nullable().describe('Text of the file with the tests of the pack; null for a baseline.'),
});

/** `weir packs show`: prints the rules of a pack, or its tests. */
export const packsShow = defineCommand({
  usage: 'show <pack>',
  summary: 'Print the rules of a pack, or its tests',
  positionals: {
    pack: { type: 'string', demandOption: true, describe: 'Pack such as weir:pci@1, or pci for its newest version' },
  },
  options: {
    tests: { type: 'boolean', default: false, describe: 'Print the tests of the pack instead' },
  },
  examples: [
    ['$0 packs show pci', 'every rule after compilation'],
    ['$0 packs show pci --tests > policies/tests/pci.test.yaml', 'then run them on your policies: weir test'],
  ],
  output: OUTPUT,

  async run({ pack, tests, json }, { io }) {
    const name = packNamed(pack);
    const { title, bases, text: policy, rules } = builtInText(name);
    const suite = PACKS.find((one) => one.name === name)?.tests;
    if (tests && suite === undefined)
      throw usageError(`${name} has no tests of its own: the tests of the shipped policies cover it`);
    const report: z.infer<typeof OUTPUT> = {
      schemaVersion: 1,
      name,
      title,
      extends: [...bases],
      policy,
      tests: suite ?? null,
    };
    await write(io.stdout, json ? `${JSON.stringify(report)}\n` : ((tests ? suite : undefined) ?? policy));
    return { exit: EXIT.ok, words: tests ? `the tests of ${shortName(name)}` : `${name} has ${rules} rules` };
  },
});
