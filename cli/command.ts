/**
 * The command line `weir`: one object per command, the parser, and shared helpers. Commands read input and print results; src/core and
 * src/authoring judge policies, and a service is reached over its API.
 */
import type { Argv, InferredOptionType, Options, PositionalOptions } from 'yargs';
import type { ZodType } from 'zod';
import type { PluginCatalog } from '../src/core/index.js';
import type { CommandWords } from './completion/command-words.js';
import { CliError, EXIT, usageError, type Outcome } from './exit-code.js';
import type { Io } from './io.js';

/** Flags that every command has. */
export interface GlobalArgs {
  /** Print one JSON object with `schemaVersion` to stdout instead of readable text. */
  readonly json: boolean;
  /** Print no progress, and a closing line only on failure. */
  readonly quiet: boolean;
  /** Undefined: decided by `NO_COLOR`, `FORCE_COLOR` and whether the stream is a terminal. */
  readonly color: boolean | undefined;
  /** Print the duration of the command to stderr. */
  readonly verbose?: boolean | undefined;
  /** Time limit in seconds, for the command and for each of its requests. */
  readonly timeout?: number | undefined;
  /** Print prompts and matched text, which are left out by default. */
  readonly showContent: boolean;
  /** The project file. Commands that do not read a project may give the flag another meaning. */
  readonly config?: string;
}

export interface CommandContext {
  readonly io: Io;
  /** The built-in plugins and those named in the settings. Loaded on demand: most commands need none. */
  catalog(): Promise<PluginCatalog>;
  /** Every command with its flags, for shell completion. Loads all commands. */
  commandWords(): Promise<readonly CommandWords[]>;
}

/** Flags by name, as yargs describes them. */
type OptionSet = Readonly<Record<string, Options>>;
/** Positional arguments by their names in the usage. */
type PositionalSet = Readonly<Record<string, PositionalOptions>>;
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- a command without flags has none
type None = Readonly<Record<never, never>>;

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The values of flags or positional arguments, by their names in camel case. */
export type ArgsOf<Set extends OptionSet | PositionalSet> = {
  readonly [Name in keyof Set as CamelCase<Name & string>]: Exclude<InferredOptionType<Set[Name]>, readonly []>;
};

/** The arguments of a command: common flags, its own flags and its positional arguments. */
export type CommandArgs<O extends OptionSet, P extends PositionalSet = None> = GlobalArgs & ArgsOf<O> & ArgsOf<P>;

interface CommandDefinition<O extends OptionSet, P extends PositionalSet> {
  /** The command line in the notation of yargs, without the words of the group: `scan [files..]`. */
  readonly usage: string;
  /** One line for lists of commands. */
  readonly summary: string;
  readonly positionals?: P;
  readonly options?: O;
  /** Pairs of flags that exclude each other. */
  readonly conflicts?: Readonly<Record<string, string>>;
  /** Command lines, each with its purpose; `$0` stands for `weir`. */
  readonly examples?: readonly (readonly [line: string, purpose: string])[];
  /** The last lines of the help. */
  readonly epilogue?: string;
  /**
   * Whether an interrupted run may take as long as it needs, because it ends in order: the service finishes running calls first, and a
   * backup leaves no unfinished files.
   */
  readonly endsInOrder?: boolean;
  /** Schema of the output of `--json`. `npm run gen` writes it to `docs/reference/schemas/<words of the command>.json`. */
  readonly output?: ZodType;
  /**
   * Returns an outcome and never ends the process itself. The result goes to stdout, everything else to stderr; the last line of stderr
   * states the outcome.
   */
  run(args: CommandArgs<O, P>, context: CommandContext): Promise<Outcome>;
}

/** A command with any flags. */
export type Command = CommandDefinition<OptionSet, PositionalSet>;

/** Defines a command; the types of its arguments are derived from its flags. Its file belongs in the folder of its group. */
export function defineCommand<const O extends OptionSet = None, const P extends PositionalSet = None>(
  definition: CommandDefinition<O, P>,
): Command {
  return definition;
}

/** A flag with a string value. */
export function textOption(describe: string) {
  return { type: 'string', requiresArg: true, describe } as const;
}

/** A chosen command with its arguments, ready to run. */
export interface Chosen extends Pick<Command, 'endsInOrder'> {
  readonly run: (context: CommandContext) => Promise<Outcome>;
}

/** The kinds of a command's flags, with their names as yargs lists them. */
export interface FlagKinds {
  /** The flags with several values: only these may be repeated. */
  readonly lists: readonly string[];
  /** The flags that are on or off, also by their letters. */
  readonly switches: readonly string[];
  /** The flags with a number as their value, also by their letters. */
  readonly numbers: readonly string[];
}

export type Choose = (chosen: Chosen, args: GlobalArgs, kinds: FlagKinds) => void;

/** A command that is imported only if it is called or its help is requested. */
export interface LazyCommand extends Pick<Command, 'usage' | 'summary'> {
  load(): Promise<Command>;
}

/** Commands that share their first words, such as `weir server`. `exports schedules` is within `exports`. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly LazyCommand[];
}

/** Commands that the help of `weir` shows under one title. */
export interface CommandSection {
  readonly title: string;
  readonly commands: readonly (LazyCommand | CommandGroup)[];
}

/** The error for flags that a command does not have; it also lists the known ones. */
export class UnknownFlags extends CliError {
  override readonly name = 'UnknownFlags';

  constructor(
    message: string,
    /** As yargs reports them: in camel case, without dashes. */
    readonly flags: readonly [string, ...string[]],
    readonly known: readonly string[],
  ) {
    super(EXIT.usage, message);
  }
}

/**
 * Stands for the first dash of an argument that is not a flag while yargs parses: it drops a single `-` from a list of files, and does not
 * read words after `--` as arguments. No argument of a process can contain NUL, and no command sees it.
 */
const DASH = '\0dash';
/** `DASH` in a value that a message of yargs quotes as JSON. */
const QUOTED_DASH = JSON.stringify(DASH).slice(1, -1);
/**
 * The name of a switch that stands for `--` while yargs parses: the flag before it takes no value from the words after it. It contains NUL
 * for the same reason.
 */
export const END_OF_FLAGS = '\0';

/** The arguments as yargs reads them; see `withDash`. */
export function withoutDash(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const flags = (end < 0 ? argv : argv.slice(0, end)).map((argument) => (argument === '-' ? DASH : argument));
  if (end < 0) return flags;
  return [...flags, `--${END_OF_FLAGS}=true`, ...argv.slice(end + 1).map((word) => word.replace(/^-/, DASH))];
}

/** The parsed arguments with each dash as it was typed. */
function withDash<Args extends object>(args: Args): Args {
  const typed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(typed);
    return typeof value === 'string' ? value.replaceAll(DASH, '-') : value;
  };
  const entries = Object.entries(args).filter(([name]) => name !== END_OF_FLAGS);
  return Object.fromEntries(entries.map(([name, value]) => [name, typed(value)])) as Args;
}

/**
 * A message of yargs in one line, with each name as the user types it: `--flag` or `<argument>`.
 *
 * @param usage the usage of the command, such as `rollback [environment]`; '' if no command was recognised
 */
export function oneLine(message: string | undefined, usage = ''): string {
  const lines = (message ?? 'invalid arguments')
    .replaceAll(DASH, '-')
    .replaceAll(QUOTED_DASH, '-')
    .split('\n')
    .map((line) => line.trim());
  const words = lines.filter((line) => line !== '').join(' ');
  const named = (name: string): string => asTyped(name, usage);
  const missing = /^Missing required arguments?: (.+)$/.exec(words)?.[1]?.split(', ').map(named);
  if (missing !== undefined) return `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
  const alone = /^Not enough arguments following: (.+)$/.exec(words)?.[1];
  if (alone !== undefined) return `${named(alone)} takes a value`;
  const [, name, given, choices] = /^Invalid values: Argument: (\S+), Given: (.+?), Choices: (.+)$/.exec(words) ?? [];
  if (name !== undefined && given !== undefined && choices !== undefined)
    return `${named(name)} takes ${choices.replaceAll('"', '')}; it is ${given}`;
  return absentWords(words, usage) ?? words;
}

/** Names the missing positional arguments: yargs only counts them. */
function absentWords(message: string, usage: string): string | undefined {
  const [, got, needed] = /got (\d+), need at least (\d+)/.exec(message) ?? [];
  if (got === undefined || needed === undefined) return undefined;
  const absent = [...usage.matchAll(/<[^>]+>/g)].map(([word]) => word).slice(Number(got), Number(needed));
  return absent.length === 0 ? undefined : `${absent.join(' and ')} ${absent.length === 1 ? 'is' : 'are'} missing`;
}

function asTyped(name: string, usage: string): string {
  if (new RegExp(`[<[]${name}(?:\\.\\.)?[>\\]]`).test(usage)) return `<${name}>`;
  return name.length === 1 ? `-${name}` : `--${name}`;
}

/** The part of yargs' description of the flags that is read here. */
interface YargsOptions {
  readonly key: Readonly<Record<string, unknown>>;
  readonly alias: Readonly<Record<string, readonly string[]>>;
  readonly array: readonly string[];
  readonly boolean: readonly string[];
  readonly number: readonly string[];
}

/** yargs has `getOptions` at run time, but not in its types. */
function optionsOf(parser: unknown): YargsOptions {
  return (parser as { getOptions(): YargsOptions }).getOptions();
}

function kindsOf({ array, boolean, number, alias }: YargsOptions): FlagKinds {
  const withLetters = (names: readonly string[]): string[] => names.flatMap((name) => [name, ...(alias[name] ?? [])]);
  return { lists: array, switches: withLetters(boolean), numbers: withLetters(number) };
}

/** Makes the parser throw `UnknownFlags` for unknown flags, so that the caller can add a suggestion. */
function reportUnknown<Args>(parser: Argv<Args>, usage: string): Argv<Args> {
  const known = Object.keys(optionsOf(parser).key);
  return parser.fail((message: string | null, error: Error | undefined) => {
    if (error !== undefined && error.name !== 'YError') throw error;
    const words = oneLine(message ?? error?.message, usage);
    const [flag, ...more] = /^Unknown arguments?: (.+)$/.exec(words)?.[1]?.split(', ') ?? [];
    throw flag === undefined ? usageError(words) : new UnknownFlags(words, [flag, ...more], known);
  });
}

/**
 * Stops yargs from formatting and caching the help of a command on every call, which takes a tenth of the time of a short command.
 * Requested help is formatted when it is printed.
 */
function keepNoHelp(parser: unknown): void {
  const { getInternalMethods } = parser as {
    getInternalMethods?: () => { getUsageInstance(): { cacheHelpMessage: () => void } };
  };
  const usage = getInternalMethods?.call(parser).getUsageInstance();
  if (usage !== undefined) usage.cacheHelpMessage = () => undefined;
}

/** Adds a command to a parser; it is imported once its arguments are read. */
export function attach(parser: Argv<GlobalArgs>, { usage, summary, load }: LazyCommand, choose: Choose): void {
  let kinds: FlagKinds = { lists: [], switches: [], numbers: [] };
  parser.command<GlobalArgs>(
    usage,
    summary,
    // yargs awaits an asynchronous builder; its types know only the synchronous one with this return type.
    (async (inner: Argv<GlobalArgs>) => {
      describe(inner, await load());
      kinds = kindsOf(optionsOf(inner));
      return reportUnknown(inner, usage);
    }) as never,
    async (args) => {
      keepNoHelp(parser);
      const command = await load();
      const typed = withDash(args);
      choose({ ...command, run: (context) => command.run(typed, context) }, typed, kinds);
    },
  );
}

/** Section titles of the help: a command's own flags come first, the common ones last. */
const OWN_FLAGS = 'Options:';
export const FILTER_FLAGS = 'Filters:';
export const SERVER_FLAGS = 'Server:';
export const COMMON_FLAGS = 'Options of every command:';

function describe(parser: Argv<GlobalArgs>, command: Command): void {
  for (const [name, option] of Object.entries(command.positionals ?? {})) parser.positional(name, option);
  const common = new Set(Object.keys(optionsOf(parser).key));
  const options = Object.entries(command.options ?? {}).map(([name, option]) => {
    // Otherwise a flag without its value would silently get the default.
    const takesValue = option.choices !== undefined || option.type === 'string' || option.type === 'number';
    return [name, takesValue ? { requiresArg: true, ...option } : option] as const;
  });
  // yargs prints the groups in the order of their first use.
  for (const title of [OWN_FLAGS, FILTER_FLAGS, SERVER_FLAGS]) {
    for (const [name, option] of options) {
      // A common flag that this command redefines keeps its group: otherwise yargs lists it twice.
      if (common.has(name)) parser.option(name, option);
      else if ((option.group ?? OWN_FLAGS) === title) parser.option(name, { ...option, group: title });
    }
  }
  for (const [one, other] of Object.entries(command.conflicts ?? {})) parser.conflicts(one, other);
  for (const [line, purpose] of command.examples ?? []) parser.example(line, purpose);
  if (command.epilogue !== undefined) parser.epilogue(command.epilogue);
}

/** Converts a name to camel case: `min-score` becomes `minScore`. */
export function camelCase(name: string): string {
  return name.replace(/-+(.)/g, (_, letter: string) => letter.toUpperCase());
}
