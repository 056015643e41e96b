import type { Argv } from 'yargs';
import type { ZodType } from 'zod';
import type { PluginCatalog } from '../src/core/index.js';
import type { CommandWords } from './completion/command-words.js';
import { CliError, EXIT, usageError, type Outcome } from './exit-code.js';
import type { Io } from './io.js';

/** Flags that every command has. */
export interface GlobalArgs {
  /** One JSON object with `schemaVersion` on stdout, instead of what a person reads. */
  readonly json: boolean;
  /** No progress and no closing line unless something is wrong. */
  readonly quiet: boolean;
  /** Undefined: decided by `NO_COLOR`, `FORCE_COLOR` and whether the stream is a terminal. */
  readonly color: boolean | undefined;
  /** Tell on stderr what is read and how long it takes. */
  readonly verbose?: boolean | undefined;
  /** Seconds that the command may take, and each of its requests. */
  readonly timeout?: number | undefined;
  /** Print what people wrote and what was found in it; never without being asked. */
  readonly showContent: boolean;
  /** The project file. Commands that do not read a project may give the flag another meaning. */
  readonly config?: string;
}

export interface CommandContext {
  readonly io: Io;
  /** The plugins that come with Weir and those of the settings. Loaded when asked for: most commands do not need them. */
  catalog(): Promise<PluginCatalog>;
  /** Every command with its flags: for whoever completes them. Loads all commands. */
  commandWords(): Promise<readonly CommandWords[]>;
}

/**
 * One command: its flags, and what it does. It answers with an outcome; only main.ts touches the process. The result goes
 * to stdout, everything else to stderr; the last line of stderr is made of the outcome.
 */
export interface Command<Args> {
  /** What `--json` prints. `npm run gen` makes `docs/reference/schemas/<words of the command>.json` of it. */
  readonly output?: ZodType;
  build(parser: Argv<GlobalArgs>): Argv<Args>;
  run(args: Args, context: CommandContext): Promise<Outcome>;
}

/** A chosen command with its arguments, ready to run. */
export type Chosen = (context: CommandContext) => Promise<Outcome>;

/** @param lists the flags that take several values, in camel case: only they may be given more than once */
export type Choose = (chosen: Chosen, args: GlobalArgs, lists: readonly string[]) => void;

/** A command that is imported only when it is called or its help is asked for. */
export interface LazyCommand {
  /** As yargs wants it, without the words of the group: `scan [files..]`. */
  readonly usage: string;
  readonly summary: string;
  /** The shape of what `--json` prints, once the command is imported. */
  outputShape(): Promise<ZodType | undefined>;
  attach(parser: Argv<GlobalArgs>, choose: Choose): Argv<GlobalArgs>;
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

/** Flags that a command does not have, with those that it has. */
export class UnknownFlags extends CliError {
  override readonly name = 'UnknownFlags';

  constructor(
    message: string,
    /** As yargs calls them: in camel case, without dashes. */
    readonly flags: readonly [string, ...string[]],
    readonly known: readonly string[],
  ) {
    super(EXIT.usage, message);
  }
}

/** What yargs says, which takes several lines for a value that is none of the choices, for the one line that says why. */
export function oneLine(message: string | undefined): string {
  const lines = (message ?? 'wrong arguments').split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}

/** The flags of a parser are there at run time, but not in the types. */
function optionsOf(parser: unknown): { readonly key: Readonly<Record<string, unknown>>; readonly array: string[] } {
  return (parser as { getOptions(): ReturnType<typeof optionsOf> }).getOptions();
}

/** Tells an unknown flag apart, so that a hint can be found for it. */
function tellUnknown<Args>(parser: Argv<Args>): Argv<Args> {
  const known = Object.keys(optionsOf(parser).key);
  return parser.fail((message: string | null, error: Error | undefined) => {
    if (error !== undefined && error.name !== 'YError') throw error;
    const words = oneLine(message ?? error?.message);
    const [flag, ...more] = /^Unknown arguments?: (.+)$/.exec(words)?.[1]?.split(', ') ?? [];
    throw flag === undefined ? usageError(words) : new UnknownFlags(words, [flag, ...more], known);
  });
}

/**
 * yargs lays out a command's help on every call, for those who print it later, which takes a tenth of the time of a short
 * command. Help that is asked for is laid out when it is.
 */
function keepNoHelp(parser: unknown): void {
  const { getInternalMethods } = parser as {
    getInternalMethods?: () => { getUsageInstance(): { cacheHelpMessage: () => void } };
  };
  const usage = getInternalMethods?.call(parser).getUsageInstance();
  if (usage !== undefined) usage.cacheHelpMessage = () => undefined;
}

/** Describes a command without importing it. */
export function lazily<Args extends GlobalArgs>(
  usage: string,
  summary: string,
  load: () => Promise<Command<Args>>,
): LazyCommand {
  let lists: readonly string[] = [];
  return {
    usage,
    summary,
    outputShape: async () => (await load()).output,
    attach: (parser, choose) =>
      parser.command<Args>(
        usage,
        summary,
        // yargs awaits an asynchronous builder; its types know only the synchronous one with this return type.
        (async (inner: Argv<GlobalArgs>) => {
          const built = (await load()).build(inner);
          lists = optionsOf(built).array;
          return tellUnknown(built);
        }) as never,
        async (parsed) => {
          keepNoHelp(parser);
          const command = await load();
          // yargs types the camel-case copies of the flags apart; at run time they are in the same object.
          const args = parsed as unknown as Args;
          choose((context) => command.run(args, context), args, lists);
        },
      ) as unknown as Argv<GlobalArgs>,
  };
}
