import { EXIT, type ExitCode } from './exit-numbers.js';

// The numbers are apart, so that the start of the process reads no class that the bundle contains as well.
export { EXIT, type ExitCode };

/** The result of a command: exit code and message. */
export interface Outcome {
  readonly exit: ExitCode;
  /** One line without a full stop, such as `12 texts scanned, 3 findings`. */
  readonly words: string;
}

/** A failure that the command can explain. The message never contains input text. */
export class CliError extends Error {
  override readonly name: string = 'CliError';

  constructor(
    readonly exit: ExitCode,
    message: string,
  ) {
    super(message);
  }
}

/** Wrong usage, exit 2. */
export function usageError(message: string): CliError {
  return new CliError(EXIT.usage, message);
}
