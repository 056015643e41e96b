import yargs from 'yargs';
import type { Argv } from 'yargs';
import {
  attach,
  camelCase,
  COMMON_FLAGS,
  END_OF_FLAGS,
  oneLine,
  UnknownFlags,
  withoutDash,
  type Choose,
  type Chosen,
  type CommandGroup,
  type FlagKinds,
  type GlobalArgs,
  type LazyCommand,
} from './command.js';
import { COMMANDS, SECTIONS } from './commands/index.js';
import { CliError, usageError } from './exit-code.js';
import { unknownWords } from './unknown-words.js';

const OVERVIEW = 'weir <command>';
const COMMON = ['json', 'quiet', 'config', 'verbose', 'show-content', 'timeout', 'color', 'version', 'help'] as const;
const ABOUT = 'Guardrails and an audit log for calls to AI providers.';
export type Parsed =
  | { readonly kind: 'chosen'; readonly command: Chosen; readonly args: GlobalArgs }
  /** `--help` or `--version`: the text to print. */
  | { readonly kind: 'text'; readonly text: string };

/**
 * Parses the command line, without running or printing anything.
 *
 * @throws CliError (exit 2) that describes the invalid arguments
 */
export async function parseArguments(argv: readonly string[], version: string, width: number): Promise<Parsed> {
  let chosen: { command: Chosen; args: GlobalArgs; kinds: FlagKinds } | undefined;
  const choose: Choose = (command, args, kinds) => void (chosen = { command, args, kinds });
  const parser = globalOptions(version, width);
  for (const entry of COMMANDS) {
    if ('load' in entry) attach(parser, entry, choose);
    else if (!entry.name.includes(' ')) attachGroup(parser, entry, choose);
  }
  let text = '';
  try {
    await parser.parseAsync(
      withoutDash(argv),
      {},
      (_error: unknown, _args: unknown, output: string) => void (text = output),
    );
  } catch (error) {
    if (error instanceof UnknownFlags) throw unknownWords(argv, error) ?? (await withHint(error, argv));
    const problem = error instanceof Error && error.name === 'YError' ? usageError(oneLine(error.message)) : error;
    if (problem instanceof CliError) throw unknownWords(argv, problem) ?? (await withPurpose(argv, problem)) ?? problem;
    throw error;
  }
  if (text.startsWith(OVERVIEW)) return { kind: 'text', text: overview(text) };
  if (chosen === undefined || text !== '') return { kind: 'text', text };
  refuseRepeated(argv, chosen.args, chosen.kinds);
  refuseMisread(argv, chosen.kinds);
  return { kind: 'chosen', ...chosen };
}

/** The help of `weir` itself. yargs groups flags, but not commands: this function lists them in sections. */
function overview(listed: string): string {
  const longest = Math.max(...COMMANDS.map((entry) => wordsOf(entry).length));
  const sections = SECTIONS.map(({ title, commands }) => {
    const rows = commands.filter((entry) => 'load' in entry || !entry.name.includes(' '));
    return [`${title}:`, ...rows.map((entry) => `  ${wordsOf(entry).padEnd(longest)}  ${entry.summary}`)].join('\n');
  });
  return [`${OVERVIEW}\n\n${ABOUT}`, ...sections, listed.slice(listed.indexOf(COMMON_FLAGS))].join('\n\n');
}

function wordsOf(entry: LazyCommand | CommandGroup): string {
  return 'load' in entry ? entry.usage : `${entry.name} <command>`;
}

/** Adds a group and its nested groups to the parser. */
function attachGroup(parser: Argv<GlobalArgs>, { name, summary, commands }: CommandGroup, choose: Choose): void {
  parser.command(name.replace(/.* /s, ''), summary, (group) => {
    for (const command of commands) attach(group, command, choose);
    for (const entry of COMMANDS) {
      if ('commands' in entry && entry.name.startsWith(`${name} `)) attachGroup(group, entry, choose);
    }
    return group.demandCommand(1, 1, `which command? See: weir ${name} --help`);
  });
}

/** The error for a flag without its value, extended by the description of the flag. */
async function withPurpose(argv: readonly string[], { message }: CliError): Promise<CliError | undefined> {
  const [, flag] = /^--?(\S+) takes a value$/.exec(message) ?? [];
  if (flag === undefined) return undefined;
  const command = COMMANDS.flatMap((entry) =>
    'load' in entry
      ? { words: [], entry }
      : entry.commands.map((one) => ({ words: entry.name.split(' '), entry: one })),
  ).find(({ words, entry }) => [...words, entry.usage.split(' ')[0]].every((word, index) => argv[index] === word));
  const { options = {} } = (await command?.entry.load()) ?? {};
  const [, option] =
    Object.entries(options).find(([name, { alias }]) => name === flag || [alias].flat().includes(flag)) ?? [];
  if (option?.describe === undefined) return undefined;
  const choices = option.choices === undefined ? '' : ` (${option.choices.join(', ')})`;
  return usageError(`${message}: ${option.describe}${choices}`);
}

/** The error with the unknown flags as typed and the most similar known flag. The core is loaded only in this case. */
async function withHint({ flags, known }: UnknownFlags, argv: readonly string[]): Promise<CliError> {
  const typed = flags.map((flag) => asTyped(flag, argv));
  const { didYouMean } = await import('../src/core/index.js');
  const [first] = typed as [string, ...string[]];
  const names = known.filter((name) => name.length > 1);
  const hint = first.startsWith('--') ? didYouMean(first.slice(2), names)?.replace(/"(.*)"/, '--$1') : undefined;
  const message = `Unknown argument${typed.length === 1 ? '' : 's'}: ${typed.join(', ')}`;
  return usageError(hint === undefined ? message : `${message}; ${hint}`);
}

/** An unknown flag as the user typed it; yargs reports it in camel case. */
function asTyped(flag: string, argv: readonly string[]): string {
  const found = argv.find((argument) => argument.startsWith('-') && camelCase(flagOf(argument)) === camelCase(flag));
  return found?.replace(/=.*$/s, '') ?? flag;
}

/** Refuses a repeated flag that takes a single value: yargs turns it into a list, which the command does not expect. */
function refuseRepeated(argv: readonly string[], args: GlobalArgs, { lists }: FlagKinds): void {
  const several = new Set(lists.map(camelCase));
  for (const [name, value] of Object.entries(args)) {
    if (!Array.isArray(value) || several.has(name)) continue;
    const given = argv.map(typedFlag).find((flag) => flag !== undefined && camelCase(flagOf(flag)) === name);
    if (given !== undefined) throw usageError(`${given} is given more than once`);
  }
}

/**
 * Refuses values that yargs silently takes for others: every value of a switch but `true` turns it off, and an empty number, as from a
 * variable that is not set, is 0. A gate would be open, or a rollback would lead to deployment 0.
 */
function refuseMisread(argv: readonly string[], { switches, numbers }: FlagKinds): void {
  const end = argv.indexOf('--');
  const flags = end < 0 ? argv : argv.slice(0, end);
  for (const [index, argument] of flags.entries()) {
    const flag = typedFlag(argument);
    if (flag === undefined) continue;
    const isAmong = (names: readonly string[]): boolean =>
      names.some((name) => camelCase(name) === camelCase(flagOf(flag)));
    const value = /^[^=]+=(.*)$/s.exec(argument)?.[1];
    if (value !== undefined && !/^(?:true|false)$/.test(value) && isAmong(switches)) {
      throw usageError(`${flag} takes no value, except =true and =false`);
    }
    if ((value ?? flags[index + 1])?.trim() === '' && isAmong(numbers)) {
      throw usageError(`${flag} takes a number, but its value is empty`);
    }
  }
}

/** The flag in an argument, with its dashes: `--output` for `--output=x`, `-o` for `-ox`. */
function typedFlag(argument: string): string | undefined {
  return /^(?:--[^=]+|-[a-z])/i.exec(argument)?.[0];
}

/** The name of the flag in an argument: `min-score` for `--min-score=5`. */
function flagOf(argument: string): string {
  return /^--?([^=]+)/.exec(argument)?.[1] ?? '';
}

function globalOptions(version: string, width: number): Argv<GlobalArgs> {
  const parser = yargs()
    .scriptName('weir')
    .usage(`${OVERVIEW}\n\n${ABOUT}`)
    .locale('en')
    .exitProcess(false)
    // An argument keeps its digits as typed: the id 1.10 is not the id 1.1.
    .parserConfiguration({ 'strip-dashed': true, 'dot-notation': false, 'parse-positional-numbers': false })
    .option(END_OF_FLAGS, { type: 'boolean', hidden: true })
    .option('json', { type: 'boolean', default: false, describe: 'Print one JSON object with a schemaVersion' })
    .option('quiet', { type: 'boolean', default: false, describe: 'Print no progress, and no closing line on success' })
    .option('config', { type: 'string', requiresArg: true, describe: 'Project file; default: weir.config.yaml' })
    .option('verbose', { type: 'boolean', describe: 'Print the duration of the command' })
    .option('show-content', {
      type: 'boolean',
      default: false,
      describe: 'Include prompts and matched text, which are left out by default',
    })
    .option('timeout', { type: 'number', requiresArg: true, describe: 'Time limit in seconds; exit 4 once it is over' })
    .option('color', { type: 'boolean', describe: 'Colour the output; default: only on a terminal without NO_COLOR' })
    .strict()
    .recommendCommands()
    .demandCommand(1, 'name a command. See: weir --help')
    .version(version)
    .help()
    .group([...COMMON], COMMON_FLAGS)
    .wrap(width)
    .epilogue(
      'Exit codes: 0 fine, 1 findings, 2 usage, 3 a file cannot be compiled, 4 unavailable, 5 changes pending, 6 stale plan, 7 nothing to do.',
    )
    .fail((message: string | null, error: Error | undefined) => {
      throw error !== undefined && error.name !== 'YError' ? error : usageError(oneLine(message ?? error?.message));
    });
  // At run time, the flags also exist in camel case; the types only have the dashed names.
  return parser as unknown as Argv<GlobalArgs>;
}
