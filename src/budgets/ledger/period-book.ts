import type { TenantSql } from '../../database/index.js';
import { Gathered } from './gathered.js';
import { openPeriod, readUsage } from './ledger.js';
import type { PeriodRequest, PeriodState } from './ledger-types.js';

const MOST_REMEMBERED = 20_000;
/** Maximum number of periods that one statement reads. */
const MOST_READ = 500;

interface Remembered {
  readonly id: string;
  readonly endMs: number;
  /**
   * The limit, the warning thresholds and the action, as stored in the row; if they change, the row has to be updated. Undefined if they are
   * not known.
   */
  readonly definition: string | undefined;
}

/**
 * Finds the rows of budgets' windows and caches their ids, so that a frequently used budget is not looked up for every
 * call.
 */
export class PeriodBook {
  private readonly known = new Map<string, Remembered>();
  private readonly opening = new Map<string, Promise<string>>();
  private readonly reads: Gathered<PeriodRequest, PeriodState | undefined>;

  constructor(private readonly sql: TenantSql) {
    this.reads = new Gathered(
      (requests) => readUsage(sql.forAccounts(...requests.map(({ accountId }) => accountId)), requests),
      MOST_READ,
    );
  }

  /** Returns the id of the row, which is created or updated if necessary. @throws DatabaseUnavailable */
  idOf(request: PeriodRequest): Promise<string> {
    return this.found(request, JSON.stringify([request.limit.toString(), request.warnAt, request.onExceed]));
  }

  /**
   * Returns the id of the row for the end of a call, which may have begun under an older definition: a row that exists is not updated.
   *
   * @throws DatabaseUnavailable, unless the row was used before
   */
  idAtEnd(request: PeriodRequest): Promise<string> {
    return this.found(request, undefined);
  }

  /** @param definition undefined for any */
  private async found(request: PeriodRequest, definition: string | undefined): Promise<string> {
    const key = keyOf(request);
    const remembered = this.known.get(key);
    const isCurrent = remembered !== undefined && request.nowMs < remembered.endMs;
    if (isCurrent && (definition === undefined || remembered.definition === definition)) return remembered.id;
    const place = `${key} ${definition ?? ''}`;
    const opening = this.opening.get(place) ?? this.open(key, place, definition, request);
    this.opening.set(place, opening);
    return opening;
  }

  private async open(
    key: string,
    place: string,
    definition: string | undefined,
    request: PeriodRequest,
  ): Promise<string> {
    try {
      const sql = this.sql.forAccounts(request.accountId);
      const { id, endMs = Infinity } = await openPeriod(sql, request, definition === undefined);
      if (this.known.size >= MOST_REMEMBERED) this.known.clear();
      this.known.set(key, { id, endMs, definition });
      return id;
    } finally {
      this.opening.delete(place);
    }
  }

  /**
   * The used amounts, in the order of the requests; undefined where there is no row yet. @throws DatabaseUnavailable
   */
  async usage(requests: readonly PeriodRequest[]): Promise<(PeriodState | undefined)[]> {
    return Promise.all(requests.map((request) => this.reads.of(request)));
  }
}

function keyOf({ accountId, environment, budget, unit, per, scope, startMs }: PeriodRequest): string {
  return `${accountId} ${environment} ${budget} ${unit} ${per} ${scope} ${startMs}`;
}
