import type { Options } from 'yargs';
import { runWeir } from '../test/support/run-weir.js';
import type { Command } from './command.js';
import { DESCRIBED } from './commands/described.js';
import { CONFIRM_OPTION } from './deploy/ask.js';

/** Commands that list entries, recognised by their summary or by their last word. */
const LISTS = /^List |^list\b/;
/** Summaries of commands that delete or end something irreversibly. */
const DELETES = /^(Archive|Cancel|Delete|Erase|Remove|Revoke)\b/;

/** Flags with an intentionally different meaning in one command, and the reason why this is not confusing. */
const DECIDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  all: {
    mutate: 'includes mutants that the tests killed, and equivalent ones',
    explain: 'includes rules that did not fire',
    plan: 'shows all effects instead of the first few',
    diff: 'shows all requests instead of the first few',
  },
  app: { try: 'names the calling app; its id is not accepted, because no server is asked' },
  config: {
    scan: 'names one policy file, because the command needs no project',
    eval: 'names one policy file, because the command needs no project',
  },
  output: { 'schema write': 'names a folder, because the command writes several files' },
  plan: { 'server migrate': 'shows the plan of the migrations, and takes no file' },
  to: { rollback: 'names the deployment to reactivate, not a destination of files' },
  scope: {
    'tokens create': 'names the rights of a token, with the word of the API',
    login: 'names the rights of a token, with the word of the API',
  },
};

/** Commands that remove something that can be restored at no cost, so they need no confirmation. */
const UNASKED: Readonly<Record<string, string>> = { logout: 'weir login saves the token of the server again' };

interface Named {
  readonly words: string;
  readonly command: Command;
}

describe('The commands of weir', () => {
  let commands: readonly Named[];

  beforeAll(async () => {
    commands = await Promise.all(
      Object.entries(DESCRIBED).map(async ([words, { load }]) => ({ words, command: await load() })),
    );
  });

  it('offer --limit and a JSON output if they list entries', () => {
    const lists = commands.filter(({ words, command }) => LISTS.test(command.summary) || LISTS.test(lastWord(words)));
    expect(lists.length).toBeGreaterThan(15);
    const without = lists.filter(({ command: { options, output } }) => !('limit' in (options ?? {})) || !output);
    expect(without.map(({ words }) => words)).toEqual([]);
  });

  it('ask for confirmation before they delete something, unless --yes or -y is given', () => {
    const deleting = commands.filter(({ words, command }) => DELETES.test(command.summary) && !(words in UNASKED));
    expect(deleting.length).toBeGreaterThan(6);
    for (const { words, command } of deleting) {
      expect({ words, yes: command.options?.['yes'] }).toEqual({ words, yes: CONFIRM_OPTION.yes });
    }
  });

  it('accept an environment by --env, and as an argument unless the arguments name something else', () => {
    const naming = commands.filter(({ command }) => namesEnvironment(command));
    expect(naming.length).toBeGreaterThan(25);
    for (const { words, command } of naming) {
      const other = Object.keys(command.positionals ?? {}).filter((name) => !['environment', 'number'].includes(name));
      const forms = {
        env: 'env' in (command.options ?? {}),
        // If the first argument is something else, only --env is available.
        word: other.length > 0 || /^\S+ \[environment\]/.test(command.usage),
      };
      expect({ words, ...forms }).toEqual({ words, env: true, word: true });
    }
  });

  it('give a flag one type of value and one summary, apart from notes for a single command and listed exceptions', () => {
    const meanings = new Map<string, Map<string, string[]>>();
    for (const { words, command } of commands) {
      for (const [name, option] of Object.entries(command.options ?? {})) {
        if (DECIDED[name]?.[words] !== undefined) continue;
        const known = meanings.get(name) ?? new Map<string, string[]>();
        const meaning = meaningOf(option);
        meanings.set(name, known.set(meaning, [...(known.get(meaning) ?? []), words]));
      }
    }
    const doubtful = [...meanings].filter(([, known]) => known.size > 1);
    expect(Object.fromEntries(doubtful.map(([name, known]) => [name, Object.fromEntries(known)]))).toEqual({});
  });

  it('still contain every exception that this test lists', () => {
    const all = new Map(commands.map(({ words, command }) => [words, command]));
    for (const [name, exceptions] of Object.entries(DECIDED)) {
      for (const words of Object.keys(exceptions)) {
        expect({ words, has: name in (all.get(words)?.options ?? {}) }).toEqual({ words, has: true });
      }
    }
    for (const words of Object.keys(UNASKED)) expect(all.has(words)).toBe(true);
  });

  it('show their own flags first in the help, then filters, flags about the server, and flags of every command', async () => {
    const { stdout } = await runWeir(['events', 'list', '--help']);
    const titles = [...stdout.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, title]) => title);
    expect(titles).toEqual(['Positionals', 'Options', 'Filters', 'Server', 'Options of every command']);
    expect(stdout.indexOf('--limit')).toBeLessThan(stdout.indexOf('Filters:'));
    expect(stdout.indexOf('--json')).toBeGreaterThan(stdout.indexOf('Options of every command:'));
  });

  it('require exactly one environment, as an argument or by --env', async () => {
    const both = await runWeir(['plan', 'staging', '--env', 'production']);
    expect(both).toMatchObject({ exit: 2, stderr: expect.stringContaining('staging and --env production: name one') });
    const none = await runWeir(['plan']);
    expect(none).toMatchObject({ exit: 2, stderr: expect.stringContaining('development, staging, production') });
    const odd = await runWeir(['history', '--env', 'prod']);
    expect(odd).toMatchObject({ exit: 2, stderr: expect.stringContaining('there is no environment "prod"') });
  });
});

function lastWord(words: string): string {
  return words.split(' ').at(-1) ?? '';
}

function namesEnvironment({ positionals, options }: Command): boolean {
  return 'environment' in (positionals ?? {}) || 'env' in (options ?? {});
}

/** The summary of a flag up to the first semicolon or colon, its type of value and its short form. */
function meaningOf({ describe: summary, type, choices, alias }: Options): string {
  const kind = choices === undefined ? type : 'string';
  const letter = [alias ?? []].flat().find((other) => other.length === 1);
  return [summary?.split(/[;:]/)[0], kind, letter].join(' | ');
}
