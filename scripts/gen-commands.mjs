import { readdirSync } from 'node:fs';

/** Generates `cli/commands/described.ts`: usage and summary of every command, read from the commands' files. */
export async function describedCommands() {
  const folder = 'dist/cli/commands';
  const lines = [];
  for (const file of readdirSync(folder, { recursive: true }).sort()) {
    const [, words] = /^\w+\/(.+)\.js$/.exec(file) ?? [];
    if (words === undefined || file.endsWith('.spec.js')) continue;
    const exported = Object.entries(await import(`../${folder}/${file}`));
    const [name, command] = exported.find(([, value]) => typeof value?.run === 'function') ?? [];
    if (command === undefined) continue;
    const quoted = [command.usage, command.summary].map((text) => JSON.stringify(text));
    lines.push(
      `  '${words.replaceAll('/', ' ')}': { usage: ${quoted[0]}, summary: ${quoted[1]}, load: async () => (await import('./${file}')).${name} },`,
    );
  }
  return [
    '/** Made by `npm run gen` from the commands; do not edit. */\n',
    "import type { LazyCommand } from '../command.js';\n",
    '/** All commands of `weir` by their words, with the fields that lists of commands show. */',
    'export const DESCRIBED = {',
    ...lines.sort(),
    '} satisfies Readonly<Record<string, LazyCommand>>;\n',
    'export type CommandWords = keyof typeof DESCRIBED;\n',
  ].join('\n');
}
