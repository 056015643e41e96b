import { readFileSync } from 'node:fs';
import { COMMANDS } from './commands/index.js';
import { runWeir } from '../test/support/run-weir.js';

describe('the reference page of the command line', () => {
  const page = readFileSync('docs/reference/cli.md', 'utf8');
  const names = COMMANDS.flatMap((entry) =>
    'commands' in entry
      ? entry.commands.map(({ usage }) => [...entry.name.split(' '), usage.split(' ')[0]!])
      : [[entry.usage.split(' ')[0]!]],
  );

  it.each(names.map((words) => [words.join(' '), words] as const))(
    'has weir %s as its help says',
    async (name, words) => {
      const { stdout } = await runWeir([...words, '--help']);
      expect(page).toContain(`## weir ${name}\n`);
      expect(page).toContain(stdout.trim());
    },
  );
});
