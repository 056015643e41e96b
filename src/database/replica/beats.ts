/**
 * The read replica: a standby that answers reads of slightly old data, and the measurement of its lag. While it is unavailable, too far
 * behind, or follows another primary, readers get the primary's answer.
 */

/** A time as this process knows it. */
export interface Moment {
  /** Monotonic milliseconds. */
  readonly ms: number;
  /** The same moment by the database's clock, milliseconds since the epoch. */
  readonly at: number;
}

/**
 * What this process wrote to the primary, and which of it the replica has shown. A replica repeats commits in their order, so
 * one that shows a beat has all that was acknowledged before the writing of that beat began, whoever wrote it. No clocks are
 * compared, and a server that does not follow this primary never shows a beat of this process.
 */
export class Beats {
  private readonly written = new Map<string, Moment>();
  private seenMoment: Moment | undefined;

  /** @param remembered so many beats; a replica that is further behind has no known distance */
  constructor(private readonly remembered: number) {}

  /** Before it is written: whether a write that got no answer was carried out is not known. */
  begin(token: string, moment: Moment): void {
    this.written.set(token, moment);
    const [oldest] = this.written.keys();
    if (this.written.size > this.remembered && oldest !== undefined) this.written.delete(oldest);
  }

  /**
   * The replica shows this beat.
   *
   * @returns false for one that this process does not know
   */
  saw(token: string | undefined): boolean {
    const moment = token === undefined ? undefined : this.written.get(token);
    if (moment === undefined) return false;
    if (this.seenMoment === undefined || moment.ms > this.seenMoment.ms) this.seenMoment = moment;
    return true;
  }

  /** Another server answers from here on: what the one before has shown says nothing of it. */
  forget(): void {
    this.seenMoment = undefined;
  }

  /** Everything that was acknowledged before is in the replica; undefined: nothing is known of it. */
  get seen(): Moment | undefined {
    return this.seenMoment;
  }
}
