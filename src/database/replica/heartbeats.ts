/**
 * The read replica: a standby that answers reads of slightly old data, and the measurement of its lag. While it is unavailable, too far
 * behind, or follows another primary, readers get the primary's answer.
 */

/** A moment on both clocks. */
export interface Moment {
  /** Monotonic milliseconds. */
  readonly ms: number;
  /** The same moment by the database's clock, milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The heartbeats that this process has written to the primary, and which of them the replica has shown. A replica applies commits in order,
 * so if it shows a heartbeat, it has everything that any process had committed before that heartbeat was sent. No clocks are compared, and a
 * server that does not follow this primary never shows a heartbeat of this process.
 */
export class Heartbeats {
  private readonly written = new Map<string, Moment>();
  private seenMoment: Moment | undefined;

  /** @param remembered the number of stored heartbeats; the lag of a replica that is further behind is unknown */
  constructor(private readonly remembered: number) {}

  /** Call this before the write, because it is unknown whether an unanswered write was executed. */
  begin(token: string, moment: Moment): void {
    this.written.set(token, moment);
    const [oldest] = this.written.keys();
    if (this.written.size > this.remembered && oldest !== undefined) this.written.delete(oldest);
  }

  /**
   * Records that the replica shows this heartbeat.
   *
   * @returns false for a heartbeat that this process does not know
   */
  saw(token: string | undefined): boolean {
    const moment = token === undefined ? undefined : this.written.get(token);
    if (moment === undefined) return false;
    if (this.seenMoment === undefined || moment.ms > this.seenMoment.ms) this.seenMoment = moment;
    return true;
  }

  /** Call this when another server answers: the heartbeats that the previous server has shown do not apply to this one. */
  forget(): void {
    this.seenMoment = undefined;
  }

  /** The replica has everything that was acknowledged before this moment; undefined if nothing is known. */
  get seen(): Moment | undefined {
    return this.seenMoment;
  }
}
