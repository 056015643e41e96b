import type { CountedHit, Figure, FromSupervisor, FromWorker, HitToCount } from './messages.js';

/** A worker's connection to its supervisor. */
export interface Channel {
  send(message: FromWorker): void;
  onMessage(heard: (message: FromSupervisor) => void): void;
}

/** A supervisor waits one second for late workers, so it answers within this time if it runs. */
const ANSWERS_WITHIN_MS = 2_000;
/** The hits of some seconds: with more unanswered ones, the supervisor is stopped, and further ones would only occupy memory. */
const MOST_UNANSWERED = 20_000;

/** The supervisor does not answer: this is an outage (503). This process's figures alone would look like counters that were reset. */
class SupervisorSilent extends Error {
  override readonly name = 'SupervisorSilent';
  readonly retryAfterSeconds = 1;
}

/** A worker's line to its supervisor. Questions of one turn of the event loop are sent as one message. */
export class SupervisorLine {
  private lastId = 0;
  private readonly counting = new Map<number, (counted: CountedHit) => void>();
  private readonly asking = new Map<number, (all: readonly (readonly Figure[])[]) => void>();
  private waiting: (readonly [number, HitToCount])[] = [];
  private lastFigures: readonly Figure[] = [];
  private readFigures: () => Promise<readonly Figure[]> = () => Promise.resolve([]);

  /**
   * @param answersWithinMs limit of the wait for the figures of all workers; for tests
   * @param mostUnanswered maximum number of unanswered hits; for tests
   */
  constructor(
    private readonly channel: Channel,
    private readonly answersWithinMs = ANSWERS_WITHIN_MS,
    private readonly mostUnanswered = MOST_UNANSWERED,
  ) {
    channel.onMessage((message) => this.heard(message));
  }

  /** The line of a process that was started by a supervisor. */
  static ofThisProcess(): SupervisorLine {
    // Without a supervisor, no process would restart, stop or count with this one, so it ends at once, like a killed
    // one. Acknowledged events are stored by then, and end-of-call records that are not stored yet are in its journal.
    process.on('disconnect', () => process.exit(1));
    // The supervisor may have gone before this listener was added.
    if (!process.connected) process.exit(1);
    return new SupervisorLine({
      // If sending fails, the supervisor is gone, and this process is about to end.
      send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
      onMessage: (heard) => void process.on('message', (message) => heard(message as FromSupervisor)),
    });
  }

  /** Reports that this worker accepts requests. */
  ready(welcome: string): void {
    this.channel.send({ kind: 'ready', welcome });
  }

  /**
   * Counts a hit together with all other workers.
   * @throws SupervisorSilent if the supervisor has left too many hits unanswered
   */
  countHit(hit: HitToCount): Promise<CountedHit> {
    if (this.counting.size >= this.mostUnanswered) return Promise.reject(new SupervisorSilent());
    return new Promise((resolve) => {
      const id = ++this.lastId;
      this.counting.set(id, resolve);
      if (this.waiting.push([id, hit]) === 1) setImmediate(() => this.sendWaiting());
    });
  }

  /** Sets the source of this process's figures, for requests for those of all workers. */
  reportFigures(read: () => Promise<readonly Figure[]>): void {
    this.readFigures = read;
  }

  /**
   * The figures of every worker, this one included, and the counts of ended ones.
   * @throws SupervisorSilent if the supervisor does not answer in time
   */
  async figuresOfAll(): Promise<readonly (readonly Figure[])[]> {
    const question = ++this.lastId;
    const { promise, resolve, reject } = Promise.withResolvers<readonly (readonly Figure[])[]>();
    const timer = setTimeout(() => reject(new SupervisorSilent()), this.answersWithinMs);
    this.asking.set(question, resolve);
    this.channel.send({ kind: 'ask-figures', question });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.asking.delete(question);
    }
  }

  private sendWaiting(): void {
    const hits = this.waiting;
    this.waiting = [];
    this.channel.send({ kind: 'count', hits });
  }

  private heard(message: FromSupervisor): void {
    switch (message.kind) {
      case 'ping':
        this.channel.send({ kind: 'pong' });
        break;
      case 'counted':
        for (const [id, counted] of message.hits) {
          this.counting.get(id)?.(counted);
          this.counting.delete(id);
        }
        break;
      case 'send-figures':
        void this.sendFigures(message.question);
        break;
      case 'figures-of-all':
        this.asking.get(message.question)?.(message.all);
        break;
    }
  }

  /** Never rejects: unreadable figures, such as those of a journal on a failed disk, must not end the process. */
  private async sendFigures(question: number): Promise<void> {
    try {
      this.lastFigures = (await this.readFigures()).map(withoutGaps);
    } catch {
      // The last figures remain valid, so that no counter decreases.
    }
    this.channel.send({ kind: 'figures', question, figures: this.lastFigures });
  }
}

/** Values that are not numbers cannot be sent as JSON, and carry no information. */
function withoutGaps(figure: Figure): Figure {
  return { ...figure, values: figure.values.filter(({ value }) => Number.isFinite(value)) };
}
