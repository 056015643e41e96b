import { COMMANDS } from '../commands/index.js';
import { parseArguments } from '../parse.js';
import type { CommandWords } from './command-words.js';

const WIDE = 1_000;

/** Every command of `weir` with the flags in its help. */
export async function commandWords(): Promise<CommandWords[]> {
  const all = COMMANDS.flatMap((entry) =>
    'load' in entry
      ? [{ words: firstWord(entry.usage), summary: entry.summary }]
      : entry.commands.map(({ usage, summary }) => ({ words: `${entry.name} ${firstWord(usage)}`, summary })),
  );
  const found: CommandWords[] = [];
  for (const { words, summary } of all) {
    const help = await parseArguments([...words.split(' '), '--help'], '', WIDE);
    const flags = help.kind === 'text' ? [...help.text.matchAll(/^\s+(?:-\w, )?(--[a-z][a-z0-9-]*)/gm)] : [];
    found.push({ words, summary, flags: [...new Set(flags.flatMap(([, flag]) => flag ?? []))] });
  }
  return found;
}

function firstWord(usage: string): string {
  return usage.replace(/ .*/s, '');
}
