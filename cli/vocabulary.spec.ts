import type { Options } from 'yargs';
import { runWeir } from '../test/support/run-weir.js';
import type { Command } from './command.js';
import { DESCRIBED } from './commands/described.js';
import { CONFIRM_OPTION } from './deploy/ask.js';

/** Commands whose summary says that they list, and those that are called after what they list. */
const LISTS = /^List |^list\b/;
/** What takes something away for good. */
const DELETES = /^(Archive|Cancel|Delete|Erase|Remove|Revoke)\b/;

/** Where a word means something else on purpose, and why nobody stumbles over it. */
const DECIDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  all: {
    mutate: 'mutants of every outcome are listed',
    explain: 'rules are listed that took no part in the decision',
    plan: 'a list is shown whole: each summary names what is listed',
    diff: 'a list is shown whole: each summary names what is listed',
  },
  app: { try: 'there is no server that knows ids: the call is judged as one of the app with this name' },
  config: {
    scan: 'texts are judged by one policy file, without a project',
    eval: 'texts are judged by one policy file, without a project',
  },
  output: { 'schema write': 'several files are written: it takes a folder' },
  plan: { 'server migrate': 'migrations are planned and applied by one command, without a file' },
  to: { rollback: 'the deployment that comes back, not the place where files go' },
  scope: {
    'tokens create': 'what a token may do has no other name in the API',
    login: 'what a token may do has no other name in the API',
  },
};

/** They take something away that comes back at no cost. */
const UNASKED: Readonly<Record<string, string>> = { logout: 'the same command with login in its place brings it back' };

interface Named {
  readonly words: string;
  readonly command: Command;
}

describe('The words of the command line', () => {
  let commands: readonly Named[];

  beforeAll(async () => {
    commands = await Promise.all(
      Object.entries(DESCRIBED).map(async ([words, { load }]) => ({ words, command: await load() })),
    );
  });

  it('let everything that lists be cut by --limit and be read as JSON', () => {
    const lists = commands.filter(({ words, command }) => LISTS.test(command.summary) || LISTS.test(lastWord(words)));
    expect(lists.length).toBeGreaterThan(15);
    const without = lists.filter(({ command: { options, output } }) => !('limit' in (options ?? {})) || !output);
    expect(without.map(({ words }) => words)).toEqual([]);
  });

  it('let everything that takes something away ask, unless --yes or -y is said', () => {
    const deleting = commands.filter(({ words, command }) => DELETES.test(command.summary) && !(words in UNASKED));
    expect(deleting.length).toBeGreaterThan(6);
    for (const { words, command } of deleting) {
      expect({ words, yes: command.options?.['yes'] }).toEqual({ words, yes: CONFIRM_OPTION.yes });
    }
  });

  it('let an environment be named as a word and by --env wherever one can be named', () => {
    const naming = commands.filter(({ command }) => namesEnvironment(command));
    expect(naming.length).toBeGreaterThan(25);
    for (const { words, command } of naming) {
      const other = Object.keys(command.positionals ?? {}).filter((name) => !['environment', 'number'].includes(name));
      const forms = {
        env: 'env' in (command.options ?? {}),
        // Another word stands where the environment would: there is --env alone.
        word: other.length > 0 || /^\S+ \[environment\]/.test(command.usage),
      };
      expect({ words, ...forms }).toEqual({ words, env: true, word: true });
    }
  });

  it('have one meaning, one kind of value and one summary each, before what is said of the command alone', () => {
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

  it('have no exception in this test for a removed word', () => {
    const all = new Map(commands.map(({ words, command }) => [words, command]));
    for (const [name, exceptions] of Object.entries(DECIDED)) {
      for (const words of Object.keys(exceptions)) {
        expect({ words, has: name in (all.get(words)?.options ?? {}) }).toEqual({ words, has: true });
      }
    }
    for (const words of Object.keys(UNASKED)) expect(all.has(words)).toBe(true);
  });

  it('stand in the help below the flags of the command: filters, the server, and what every command has', async () => {
    const { stdout } = await runWeir(['events', 'list', '--help']);
    const titles = [...stdout.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, title]) => title);
    expect(titles).toEqual(['Positionals', 'Options', 'Filters', 'Server', 'Options of every command']);
    expect(stdout.indexOf('--limit')).toBeLessThan(stdout.indexOf('Filters:'));
    expect(stdout.indexOf('--json')).toBeGreaterThan(stdout.indexOf('Options of every command:'));
  });

  it('name one environment, whichever way', async () => {
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

/** What is said up to the first semicolon, and what kind of value is taken. */
function meaningOf({ describe: summary, type, choices, alias }: Options): string {
  const kind = choices === undefined ? type : 'string';
  const letter = [alias ?? []].flat().find((other) => other.length === 1);
  return [summary?.split(/[;:]/)[0], kind, letter].join(' | ');
}
