import { readFileSync } from 'node:fs';
import { DESCRIBED } from './commands/described.js';
import { COMMANDS, SECTIONS } from './commands/index.js';
import { runWeir } from '../test/support/run-weir.js';

describe('the reference page of the command line', () => {
  const page = readFileSync('docs/reference/cli.md', 'utf8');
  const names = COMMANDS.flatMap((entry) =>
    'commands' in entry
      ? entry.commands.map(({ usage }) => [...entry.name.split(' '), usage.split(' ')[0]!])
      : [[entry.usage.split(' ')[0]!]],
  );

  it.each(names.map((words) => [words.join(' '), words] as const))(
    'describes weir %s as the help does',
    async (name, words) => {
      const { stdout } = await runWeir([...words, '--help']);
      expect(page).toContain(`## weir ${name}\n`);
      expect(page).toContain(stdout.trim());
    },
  );
});

describe('The help of weir', () => {
  const WIDTH = 100;

  it('lists every command once under the title of its section, in lines that fit a terminal', async () => {
    const { stdout } = await runWeir(['--help']);
    const lines = stdout.split('\n');
    const listed: string[] = [];
    for (const [n, line] of lines.entries()) {
      expect(line.length).toBeLessThanOrEqual(WIDTH);
      if (SECTIONS.some(({ title }) => line === `${title}:`)) expect(lines[n - 1]).toBe('');
      else listed.push(...(/^  ([a-z][a-z-]*) /.exec(line)?.slice(1) ?? []));
    }
    expect(SECTIONS.map(({ title }) => stdout.indexOf(`\n${title}:\n`))).not.toContain(-1);
    const names = COMMANDS.map((entry) => ('load' in entry ? entry.usage : entry.name).split(' ')[0]);
    expect(listed.toSorted()).toEqual([...new Set(names)].toSorted());
  });

  it('lists every command that has a file', () => {
    const reached = COMMANDS.flatMap((entry) => ('load' in entry ? [entry] : entry.commands));
    expect(reached.map(({ usage }) => usage).toSorted()).toEqual(
      Object.values(DESCRIBED)
        .map(({ usage }) => usage)
        .toSorted(),
    );
  });
});
