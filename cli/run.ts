import type { PluginCatalog } from '../src/core/index.js';
import type { GlobalArgs } from './command.js';
import { CliError, EXIT, usageError, type ExitCode, type Outcome } from './exit-code.js';
import { hideCredentials, namesCredential } from './hidden-credentials.js';
import { OutputClosed, write, type Io } from './io.js';
import { loadedPlugins } from './loaded-plugins.js';
import { colours } from './output/colour.js';
import { parseArguments } from './parse.js';
import { packageVersion } from './version.js';

export interface RunOptions {
  /** Default: the built-in plugins and those named in the settings. */
  readonly catalog?: () => Promise<PluginCatalog>;
}

const MAX_WIDTH = 100;
const MAX_TIMEOUT_S = 86_400;

/**
 * Runs `weir` without touching the process: parses the arguments, runs the command and prints the outcome as the last line of stderr.
 * Returns the exit code; never throws and never exits.
 */
export async function run(argv: readonly string[], outside: Io, options: RunOptions = {}): Promise<ExitCode> {
  const io = hideCredentials(outside, argv);
  let args: GlobalArgs = { json: false, quiet: argv.includes('--quiet'), color: undefined, showContent: false };
  let outcome: Outcome;
  let limit: AbortSignal | undefined;
  const startedMs = io.nowMs();
  try {
    const parsed = await parseArguments(argv, await packageVersion(), MAX_WIDTH);
    if (parsed.kind === 'text') {
      await write(io.stdout, `${parsed.text}\n`);
      return EXIT.ok;
    }
    args = parsed.args;
    limit = limitOf(args);
    const limited = withLimits(io, limit, args);
    outcome = await parsed.run({
      io: limited,
      catalog: options.catalog ?? (() => loadedPlugins(limited)),
      commandWords: async () => (await import('./completion/words.js')).commandWords(),
    });
    if (args.verbose === true) await sayQuietly(io, `${Math.round(io.nowMs() - startedMs)} ms\n`);
  } catch (error) {
    outcome = limit?.aborted === true ? gaveUp(args, error) : withWarning(await outcomeOf(error, io), argv);
  }
  if (outcome.exit !== EXIT.ok || !args.quiet) await sayHow(outcome, args, io);
  return outcome.exit;
}

function limitOf({ timeout }: GlobalArgs): AbortSignal | undefined {
  if (timeout === undefined) return undefined;
  if (!(timeout > 0 && timeout <= MAX_TIMEOUT_S)) {
    throw usageError(`--timeout takes seconds, from above 0 to ${MAX_TIMEOUT_S}`);
  }
  return AbortSignal.timeout(timeout * 1_000);
}

/** `--timeout` aborts a command as Ctrl-C does; `--config` sets the project file for all code that reads it. */
function withLimits(io: Io, limit: AbortSignal | undefined, { config }: GlobalArgs): Io {
  const signal = limit === undefined ? io.signal : AbortSignal.any([io.signal, limit]);
  return { ...io, signal, nowMs: () => io.nowMs(), ...(config !== undefined && { projectFile: config }) };
}

function gaveUp({ timeout }: GlobalArgs, error: unknown): Outcome {
  const more = isTold(error) ? `: ${error.message}` : '';
  return { exit: EXIT.unavailable, words: `gave up after ${timeout} s (--timeout)${more}` };
}

/** Whether the command reported its own interruption, with the state that it left. */
function isTold(error: unknown): error is CliError {
  return error instanceof CliError && error.exit === EXIT.interrupted;
}

/** Adds a warning if an argument looks like a credential: the history of the shell stores it. */
function withWarning({ exit, words }: Outcome, argv: readonly string[]): Outcome {
  const hint = [EXIT.usage, EXIT.uncompilable].some((wrong) => wrong === exit) && namesCredential(argv);
  return {
    exit,
    words: hint
      ? `${words}${words.endsWith('?') ? '' : '.'} Send a credential to stdin, or name a file that contains it: shells store arguments in their history`
      : words,
  };
}

async function outcomeOf(error: unknown, io: Io): Promise<Outcome> {
  if (isTold(error)) return { exit: error.exit, words: error.message };
  if (io.signal.aborted) return { exit: EXIT.interrupted, words: 'interrupted' };
  if (error instanceof OutputClosed) return { exit: EXIT.ok, words: 'the reader closed the output' };
  if (error instanceof CliError) return { exit: error.exit, words: error.message };
  // The message of an unexpected error may quote input text, so only the stack is printed.
  const where = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)) : [];
  await sayQuietly(io, where.map((line) => `${line}\n`).join(''));
  const name = error instanceof Error ? error.name : 'a value that is not an error';
  return { exit: EXIT.defect, words: `a defect of weir: ${name} was thrown; please report the lines above` };
}

async function sayHow({ exit, words }: Outcome, args: GlobalArgs, io: Io): Promise<void> {
  const paint = colours(io.stderr, io.env, args.color);
  const code = `exit ${exit}:`;
  await sayQuietly(io, `${exit === EXIT.ok ? paint.green(code) : paint.red(code)} ${words}\n`);
}

/** Writes to stderr; a closed stderr is ignored. */
async function sayQuietly(io: Io, text: string): Promise<void> {
  try {
    await write(io.stderr, text);
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  }
}
