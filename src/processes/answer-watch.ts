/** How often a worker is asked whether it is still there. */
const ASK_EVERY_MS = 5_000;
/** A worker that leaves so many questions in a row unanswered (for 30 seconds) is given up. */
const MOST_UNANSWERED = 6;

export interface AnswerWatchParts {
  /** Sends a question. */
  ask(): void;
  /** Called once, when too many questions in a row were left unanswered. */
  silent(): void;
  /** @returns a function that cancels the work */
  later(work: () => void, ms: number): () => void;
}

/**
 * Detects a process that is stuck but has not ended, for example in an endless loop or stopped by a signal: the operating system still
 * assigns connections to its sockets, and nobody accepts them.
 *
 * It counts unanswered questions and does not measure time: after a pause of the supervisor itself (a sleeping laptop, a suspended process
 * group), at most one more question is unanswered.
 */
export class AnswerWatch {
  private unanswered = 0;
  private callOff: () => void = () => undefined;

  constructor(private readonly parts: AnswerWatchParts) {
    this.askAgain();
  }

  /** Whether the process has missed at least one answer. */
  get hasMissed(): boolean {
    return this.unanswered > 1;
  }

  /** The process has answered a question. */
  answered(): void {
    this.unanswered = 0;
  }

  /** Ends the watch, because the process has ended. */
  stop(): void {
    this.callOff();
  }

  private askAgain(): void {
    if (this.unanswered === MOST_UNANSWERED) {
      this.parts.silent();
      return;
    }
    this.unanswered += 1;
    this.callOff = this.parts.later(() => this.askAgain(), ASK_EVERY_MS);
    this.parts.ask();
  }
}
