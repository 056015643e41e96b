import { Counter, type Registry } from 'prom-client';
import type { Labels, Named } from './tallies.js';

/** Maximum number of series of one metric in one process: Prometheus keeps each of them in memory as well. */
const MAX_SERIES = 2_000;

interface Series {
  readonly accountId: string;
  readonly labels: Labels;
  /** Counts since the last scrape. */
  count: number;
  /** The number of scrapes before the last count. */
  countedAfter: number;
}

/**
 * A counter with labels that accounts choose, such as ids of rules. The number of its series is limited: if any account needs a further
 * series, the account with the most series loses the series that was not counted for the longest time. No label names the account.
 */
export class AccountTally {
  private readonly series = new Map<string, Series>();
  private readonly counter: Counter;
  private scrapes = 0;

  constructor(
    registry: Registry,
    private readonly about: Named,
  ) {
    const move = (): void => this.moveCounts();
    this.counter = new Counter({ ...about, registers: [registry], collect: move });
  }

  /** @param accountId the account whose policy contains the ids among the labels */
  count(accountId: string, labels: Labels, by = 1): void {
    const key = this.about.labelNames.map((name) => `${labels[name]}\0`).join('');
    let series = this.series.get(key);
    if (series === undefined) {
      if (this.series.size >= MAX_SERIES) this.dropOne();
      series = { accountId, labels, count: 0, countedAfter: 0 };
      this.series.set(key, series);
    }
    series.count += by;
    series.countedAfter = this.scrapes;
  }

  private moveCounts(): void {
    this.scrapes++;
    for (const series of this.series.values()) {
      this.counter.inc({ ...series.labels }, series.count);
      series.count = 0;
    }
  }

  private dropOne(): void {
    const owner = this.accountWithMost();
    let oldest: [key: string, series: Series] | undefined;
    for (const entry of this.series) {
      if (entry[1].accountId !== owner) continue;
      if (oldest === undefined || entry[1].countedAfter < oldest[1].countedAfter) oldest = entry;
    }
    if (oldest === undefined) return;
    this.series.delete(oldest[0]);
    this.counter.remove({ ...oldest[1].labels });
  }

  private accountWithMost(): string | undefined {
    const held = new Map<string, number>();
    let most: string | undefined;
    for (const { accountId } of this.series.values()) {
      const count = (held.get(accountId) ?? 0) + 1;
      held.set(accountId, count);
      if (most === undefined || count > (held.get(most) ?? 0)) most = accountId;
    }
    return most;
  }
}
