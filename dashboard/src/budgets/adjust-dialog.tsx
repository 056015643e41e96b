/**
 * The pages of budgets and their spending over time. Amounts are those of the ledger.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { send } from '../api/client.ts';
import type { BudgetState } from '../api/types.ts';
import Dialog from '../parts/dialog.tsx';
import { FormEnd } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { amount } from '../parts/format.ts';
import { Field } from '../parts/small.tsx';
import { CHANGE_PATTERN, changedBy, changeOf } from './amounts.ts';

interface AdjustProps {
  readonly budget: BudgetState;
  readonly close: () => void;
}

/** Corrects the used amount of a window; the amount afterwards is shown while the change is typed. */
export function AdjustDialog({ budget, close }: AdjustProps): ReactNode {
  const [value, setValue] = useState('');
  const [because, setBecause] = useState('');
  const sending = useSending();
  const { used, limit, unit } = budget;
  const change = changeOf(value, unit);
  const client = useQueryClient();
  const adjust = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      await send('POST', `/v1/budgets/${encodeURIComponent(budget.budget)}/adjustments`, {
        period_id: budget.period_id,
        amount: change ?? value,
        because,
      });
      await Promise.all([
        client.invalidateQueries({ queryKey: ['budget'] }),
        client.invalidateQueries({ queryKey: ['budgets'] }),
        client.invalidateQueries({ queryKey: ['budget-series'] }),
        client.invalidateQueries({ queryKey: ['entries'] }),
      ]);
      close();
    });
  };
  return (
    <Dialog title={`Adjust ${budget.budget}`} close={close} size={420}>
      <form className="stack" onSubmit={adjust}>
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
        <FormEnd sending={sending} label="Adjust" close={close} />
      </form>
    </Dialog>
  );
}
