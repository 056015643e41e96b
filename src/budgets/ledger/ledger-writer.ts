import type { LedgerStep } from '../../core/index.js';
import type { PrecedingStatement, SqlExecutor, SqlSession } from '../../database/index.js';
import type { LedgerWriter, LedgerWritten, NewEvent } from '../../events/index.js';
import { budgetEvent } from '../budget-events.js';
import { deleteLedgerDetail } from './delete-ledger-detail.js';
import { applySteps, applyStepsAfter } from './ledger.js';
import type { LedgerEvent } from './ledger-types.js';

/** Called with the results of the ledger after the commit. */
export interface LedgerObserver {
  ledgerEvents(events: readonly LedgerEvent[]): void;
  /** Called when calls have ended, so that reserved amounts may be free again. */
  freed(): void;
}

interface Stored {
  readonly event: NewEvent;
  readonly steps: readonly LedgerStep[];
}

/** A step with its event. */
interface Work {
  readonly event: NewEvent;
  readonly step: LedgerStep;
}

function worksOf(stored: readonly Stored[]): Work[] {
  return stored.flatMap(({ event, steps }) => steps.map((step) => ({ event, step })));
}

/**
 * Applies the effects of events on budgets in the transaction that stores the events: either both are stored or
 * neither.
 */
export class BudgetLedgerWriter implements LedgerWriter {
  readonly forget = deleteLedgerDetail;

  constructor(private readonly observer: LedgerObserver) {}

  async write(transaction: SqlExecutor, stored: readonly Stored[]): Promise<LedgerWritten> {
    const works = worksOf(stored);
    const steps = works.map(({ step }) => step);
    return this.written(works, steps.length === 0 ? [] : await applySteps(transaction, steps));
  }

  async writeWith(
    insertion: PrecedingStatement,
    sql: SqlSession,
    stored: readonly Stored[],
    size: number,
  ): Promise<LedgerWritten | undefined> {
    const works = worksOf(stored);
    const steps = works.map(({ step }) => step);
    const ledgerEvents = await applyStepsAfter(insertion, sql, steps, size);
    return ledgerEvents === undefined ? undefined : this.written(works, ledgerEvents);
  }

  private written(works: readonly Work[], ledgerEvents: readonly LedgerEvent[]): LedgerWritten {
    const eventOf = (each: LedgerEvent): NewEvent => works[each.step]!.event;
    return {
      children: ledgerEvents.flatMap((each) =>
        each.what === 'crossed' ? [budgetEvent(eventOf(each), 'crossed', each.period)] : [],
      ),
      lost: new Set(ledgerEvents.flatMap((each) => (each.what === 'lost' ? [eventOf(each).id] : []))),
      committed: () => {
        this.observer.ledgerEvents(ledgerEvents);
        if (works.some(({ step }) => step.do !== 'dispatch')) this.observer.freed();
      },
    };
  }
}
