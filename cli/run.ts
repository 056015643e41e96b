import type { PluginCatalog } from '../src/core/index.js';
import { stackFrames } from '../src/core/stack-frames.js';
import type { GlobalArgs } from './command.js';
import { CliError, EXIT, usageError, type ExitCode, type Outcome } from './exit-code.js';
import { hideCredentials, namesCredential } from './hidden-credentials.js';
import { OutputClosed, write, type Io } from './io.js';
import { loadedPlugins } from './loaded-plugins.js';
import { cannotUse } from './named-files.js';
import { colours } from './output/colour.js';
import { parseArguments } from './parse.js';
import { packageVersion } from './version.js';

export interface RunOptions {
  /** Default: the built-in plugins and those named in the settings. */
  readonly catalog?: () => Promise<PluginCatalog>;
  /** The time for which a command may continue after an interruption. Default: long enough to report whether a deployment was accepted. */
  readonly graceMs?: number;
}

const MAX_WIDTH = 100;
const MAX_TIMEOUT_S = 86_400;
const GRACE_MS = 6_000;

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
    const { command } = parsed;
    const work = command.run({
      io: limited,
      catalog: options.catalog ?? (() => loadedPlugins(limited)),
      commandWords: async () => (await import('./completion/words.js')).commandWords(),
    });
    const graceMs = options.graceMs ?? GRACE_MS;
    outcome = await (command.endsInOrder === true ? work : untilInterrupted(work, limited.signal, graceMs));
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
  const own = { signal, stdinToken: {}, nowMs: () => io.nowMs() };
  return { ...io, ...own, ...(config !== undefined && { projectFile: config }) };
}

/**
 * The outcome of a command. A command that goes on after an interruption, such as one that waits for a lock in a database, is not waited
 * for: the end of the process ends it.
 *
 * @throws CliError (exit 130)
 */
async function untilInterrupted(work: Promise<Outcome>, signal: AbortSignal, graceMs: number): Promise<Outcome> {
  let grace: NodeJS.Timeout | undefined;
  let interrupted = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    const words = 'interrupted; the command did not stop by itself, so its work may be incomplete';
    const stop = (): void => reject(new CliError(EXIT.interrupted, words));
    interrupted = () => void (grace = setTimeout(stop, graceMs));
  });
  if (signal.aborted) interrupted();
  else signal.addEventListener('abort', interrupted, { once: true });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', interrupted);
    clearTimeout(grace);
  }
}

function gaveUp({ timeout }: GlobalArgs, error: unknown): Outcome {
  const more = isOwnInterruption(error) ? `: ${error.message}` : '';
  return { exit: EXIT.unavailable, words: `gave up after ${timeout} s (--timeout)${more}` };
}

/** Whether the command reported its own interruption, with the state that it left. */
function isOwnInterruption(error: unknown): error is CliError {
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
  if (isOwnInterruption(error)) return { exit: error.exit, words: error.message };
  if (io.signal.aborted) return { exit: EXIT.interrupted, words: 'interrupted' };
  if (error instanceof OutputClosed) return { exit: EXIT.closed, words: 'the reader closed the output before its end' };
  const known = error instanceof CliError ? error : cannotUse(error);
  if (known !== undefined) return { exit: known.exit, words: known.message };
  // The message of an unexpected error may quote input text, so only the stack is printed.
  const frames = stackFrames(error).map((line) => `${line}\n`);
  await sayQuietly(io, frames.join(''));
  const name = error instanceof Error ? error.name : 'non-Error value';
  return { exit: EXIT.defect, words: `internal error: uncaught ${name}; please report the lines above` };
}

async function sayHow({ exit, words }: Outcome, args: GlobalArgs, io: Io): Promise<void> {
  const paint = colours(io.stderr, io.env, args.color);
  const code = `exit ${exit}:`;
  await sayQuietly(io, `${exit === EXIT.ok ? paint.green(code) : paint.red(code)} ${words}\n`);
}

/** Writes to stderr. If that fails, there is no other place for the text, and the exit code remains. */
async function sayQuietly(io: Io, text: string): Promise<void> {
  await write(io.stderr, text).catch(() => undefined);
}
