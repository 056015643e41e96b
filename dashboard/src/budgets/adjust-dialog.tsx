/**
 * The pages of budgets and their spending over time. Amounts are those of the ledger.
 */
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { ApiError, send } from '../api/client.ts';
import type { BudgetState } from '../api/types.ts';
import Dialog from '../parts/dialog.tsx';
import { FormEnd } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { amount } from '../parts/format.ts';
import { Field } from '../parts/small.tsx';
import { CHANGE_PATTERN, changedBy, changeOf } from './amounts.ts';

interface AdjustProps {
  /** The window with its current figures. */
  readonly budget: BudgetState;
  /** Whether the figures are those of the last answer, and no newer ones are being loaded. */
  readonly isCurrent: boolean;
  readonly close: () => void;
}

/** Corrects the used amount of a window; the amount afterwards is shown while the change is typed. */
export function AdjustDialog({ budget, isCurrent, close }: AdjustProps): ReactNode {
  const [value, setValue] = useState('');
  const [because, setBecause] = useState('');
  const { used, limit, unit } = budget;
  const change = changeOf(value, unit);
  const { sending, usedBefore, adjust } = useAdjustment(budget, close);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    adjust(change ?? value, because);
  };
  return (
    <Dialog title={`Adjust ${budget.budget}`} close={close} size={420}>
      <form className="stack" onSubmit={submit}>
        <p>
          Used now: {amount(used, unit)} of {amount(limit, unit)}. A negative amount reduces the spending.
        </p>
        <Field
          label={unit === 'usd' ? 'Amount in dollars' : 'Amount in tokens'}
          hint={`Used afterwards: ${change === undefined ? '–' : amount(changedBy(used, change), unit)}`}
          problem={sending.problemOf('amount')}
        >
          <input
            className="input tab-nums"
            inputMode="decimal"
            required
            pattern={CHANGE_PATTERN}
            // An example of the form, which shows that an amount may be negative.
            placeholder="-2.50"
            data-autofocus
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        </Field>
        <Field label="Reason" problem={sending.problemOf('because')}>
          <input
            className="input"
            required
            maxLength={500}
            value={because}
            onChange={(event) => setBecause(event.target.value)}
          />
        </Field>
        <FormEnd sending={sending} label="Adjust" isReady={usedBefore === null || isCurrent} close={close}>
          {usedBefore !== null && !sending.isSending && (
            <p className="problem" role="alert">
              The adjustment may have been made; compare the amounts before you repeat it.{' '}
              {isCurrent ? `Used before it: ${amount(usedBefore, unit)}.` : 'The current amounts are being loaded.'}
            </p>
          )}
        </FormEnd>
      </form>
    </Dialog>
  );
}

/** The request that changes the used amount of a window, after which the amounts of all windows are loaded again. */
function useAdjustment(budget: BudgetState, done: () => void) {
  const sending = useSending();
  const client = useQueryClient();
  // The used amount before an adjustment whose answer was lost; null: there is none.
  const [usedBefore, setUsedBefore] = useState<string | null>(null);
  const adjust = (change: string, because: string): void =>
    sending.run(async () => {
      try {
        await send('POST', `/v1/budgets/${encodeURIComponent(budget.budget)}/adjustments`, {
          period_id: budget.period_id,
          amount: change,
          because,
        });
      } catch (error) {
        if (!isRefusal(error)) {
          setUsedBefore(budget.used);
          void reloadAmounts(client);
        }
        throw error;
      }
      await reloadAmounts(client);
      done();
    });
  return { sending, usedBefore, adjust };
}

/** Whether the service certainly did not make the change. Without an answer, or with one that cannot be read, it may have made it. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status >= 400 && error.status < 500;

/** Loads the amounts of all windows again. */
async function reloadAmounts(client: QueryClient): Promise<void> {
  const keys = ['budget', 'budgets', 'budget-series', 'entries'];
  await Promise.all(keys.map((key) => client.invalidateQueries({ queryKey: [key] })));
}
