import type { Database } from '../database/index.js';
import type { Activator, ActivatorLog } from './activator.js';
import { DEPLOYMENT_CHANNEL } from './deployment-history.js';

/** The interval at which a process looks for deployments whose notice it missed. */
const POLL_EVERY_MS = 2_000;
const BEAT_EVERY_MS = 10_000;

/** Makes an activator search for deployments and send heartbeats until the database closes. */
export class ActivationLoop {
  private readonly timers: NodeJS.Timeout[] = [];
  private running: Promise<void> = Promise.resolve();
  private isAway = false;
  private isEnding = false;

  constructor(
    private readonly activator: Activator,
    private readonly log: ActivatorLog,
  ) {}

  /**
   * Activates the deployed policies before the first call arrives, and then keeps searching for new ones.
   *
   * @throws DatabaseUnavailable when the history cannot be read: a process that does not know what is deployed must not judge calls
   */
  async start(database: Database, leave: () => Promise<void>): Promise<void> {
    await this.activator.look();
    this.activator.serve();
    await this.activator.beat();
    // A heartbeat after `leave` would list this process again.
    database.beforeClose(async () => {
      this.isEnding = true;
      for (const timer of this.timers) clearInterval(timer);
      await this.running;
      await leave().catch(() => undefined);
    });
    database.listen(DEPLOYMENT_CHANNEL, () => this.run(() => this.activator.look()));
    const every = (ms: number, work: () => Promise<void>): void =>
      void this.timers.push(setInterval(() => this.run(work), ms).unref());
    every(BEAT_EVERY_MS, () => this.activator.beat());
    // The embedded database belongs to this process alone, which misses no notice.
    if (database.kind === 'postgres') every(POLL_EVERY_MS, () => this.activator.look());
  }

  private run(work: () => Promise<void>): void {
    if (this.isEnding) return;
    this.running = this.running.then(work).then(
      () => void (this.isAway = false),
      (error: unknown) => {
        if (!this.isAway) this.log.error({ error: nameOf(error) }, 'the search for new deployments failed; retrying');
        this.isAway = true;
      },
    );
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
