/** Exit codes of the process. Scripts rely on the numbers: new ones may be added, but existing ones never change. */
export const EXIT = {
  ok: 0,
  /** The command succeeded and found problems in its input. */
  findings: 1,
  /** Wrong flags, wrong file names, or unreadable input. */
  usage: 2,
  /** A policy or test file cannot be compiled. */
  uncompilable: 3,
  /** A failure of the server, the network, the authentication or a detector. */
  unavailable: 4,
  /** Changes are pending, or drift was found. */
  pending: 5,
  /** The plan is stale: plan again. */
  stale: 6,
  /** Nothing to do, although the command expected something. */
  nothing: 7,
  /** An internal error of `weir` (`EX_SOFTWARE` of sysexits.h). */
  defect: 70,
  interrupted: 130,
  /** The reader of the output closed the pipe before the command was done, so its outcome is unknown (128 + SIGPIPE, as in a shell). */
  closed: 141,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
