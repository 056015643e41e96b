import type { LedgerStep } from '../../core/index.js';
import type { SqlExecutor } from '../../database/index.js';
import type { LedgerWriter, LedgerWritten, NewEvent } from '../../events/index.js';
import { budgetEvent } from '../budget-events.js';
import { forgetDetail } from './forget-detail.js';
import { applySteps } from './ledger.js';
import type { LedgerEvent } from './ledger-types.js';

/** Told of what came about in the ledger, after the commit. */
export interface LedgerObserver {
  ledgerEvents(events: readonly LedgerEvent[]): void;
  /** Calls ended, so that money may have come back. */
  freed(): void;
}

/** Does what events mean for budgets, in the transaction that stores them: both are there, or neither is. */
export class BudgetLedgerWriter implements LedgerWriter {
  readonly forget = forgetDetail;

  constructor(private readonly observer: LedgerObserver) {}

  async write(
    transaction: SqlExecutor,
    stored: readonly { readonly event: NewEvent; readonly steps: readonly LedgerStep[] }[],
  ): Promise<LedgerWritten> {
    const works = stored.flatMap(({ event, steps }) => steps.map((step) => ({ event, step })));
    const ledgerEvents =
      works.length === 0
        ? []
        : await applySteps(
            transaction,
            works.map(({ step }) => step),
          );
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
