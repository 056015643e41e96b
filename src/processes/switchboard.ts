import { addUp, onlyCounts } from './added-figures.js';
import type { CountedHit, Figure, FromSupervisor, FromWorker, HitToCount } from './messages.js';

/** A late worker is represented by its last figures: a scrape never waits longer than this. */
const FIGURES_WITHIN_MS = 1_000;

export type CountHit = (hit: HitToCount) => Promise<CountedHit>;

interface Listener {
  send(message: FromSupervisor): void;
}

interface Gathering {
  readonly missing: Set<Listener>;
  readonly finish: () => void;
}

/** Answers the questions of workers: it counts their hits in one place, and gathers the figures of all of them. */
export class Switchboard {
  /** The last figures of each worker. */
  private readonly latest = new Map<Listener, readonly Figure[]>();
  /** The counts of ended workers: a decreasing sum would look like a counter reset. */
  private ofEnded: readonly Figure[] = [];
  private readonly gatherings = new Map<number, Gathering>();
  private lastQuestion = 0;

  constructor(
    private readonly countHit: CountHit,
    private readonly later: (work: () => void, ms: number) => () => void,
  ) {}

  add(worker: Listener): void {
    this.latest.set(worker, []);
  }

  remove(worker: Listener): void {
    this.ofEnded = addUp(this.ofEnded, onlyCounts(this.latest.get(worker) ?? []));
    this.latest.delete(worker);
    for (const question of this.gatherings.keys()) this.isHere(question, worker);
  }

  heard(worker: Listener, message: Exclude<FromWorker, { kind: 'ready' | 'pong' }>): void {
    switch (message.kind) {
      case 'count':
        void this.count(worker, message.hits);
        break;
      case 'ask-figures':
        this.gather(worker, message.question);
        break;
      case 'figures':
        if (this.latest.has(worker)) this.latest.set(worker, message.figures);
        this.isHere(message.question, worker);
        break;
    }
  }

  private async count(worker: Listener, hits: readonly (readonly [number, HitToCount])[]): Promise<void> {
    const counted = await Promise.all(hits.map(async ([id, hit]) => [id, await this.countHit(hit)] as const));
    worker.send({ kind: 'counted', hits: counted });
  }

  private gather(asker: Listener, askersQuestion: number): void {
    const question = ++this.lastQuestion;
    const callOff = this.later(() => this.gatherings.get(question)?.finish(), FIGURES_WITHIN_MS);
    const finish = (): void => {
      callOff();
      this.gatherings.delete(question);
      const all = [...this.latest.values(), this.ofEnded];
      asker.send({ kind: 'figures-of-all', question: askersQuestion, all });
    };
    this.gatherings.set(question, { missing: new Set(this.latest.keys()), finish });
    for (const worker of this.latest.keys()) worker.send({ kind: 'send-figures', question });
    if (this.latest.size === 0) finish();
  }

  private isHere(question: number, worker: Listener): void {
    const gathering = this.gatherings.get(question);
    if (gathering === undefined) return;
    gathering.missing.delete(worker);
    if (gathering.missing.size === 0) gathering.finish();
  }
}
