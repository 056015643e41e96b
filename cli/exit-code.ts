/** Exit codes of the process. Scripts rely on the numbers: new ones may be added, but existing ones never change. */
export const EXIT = {
  ok: 0,
  /** The command worked and what it looked at is not in order. */
  findings: 1,
  /** Wrong flags, wrong file names, input that cannot be read. */
  usage: 2,
  /** A policy or test file cannot be compiled. */
  uncompilable: 3,
  /** Server, network, authentication, or a detector that could not answer. */
  unavailable: 4,
  /** Changes are pending, or drift was found. */
  pending: 5,
  /** The plan is stale: plan again. */
  stale: 6,
  /** Nothing to do where something was expected. */
  nothing: 7,
  /** A defect of `weir` itself (`EX_SOFTWARE` of sysexits.h). */
  defect: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** How a command ended, in a number and in words. */
export interface Outcome {
  readonly exit: ExitCode;
  /** One line without a full stop, such as `12 texts scanned, 3 findings`. */
  readonly words: string;
}

/** An end that a command did not expect and can explain. The message never holds what was read. */
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
