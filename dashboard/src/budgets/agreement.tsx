import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import type { Schemas } from '../api/types.ts';
import { Empty, Part } from '../parts/block.tsx';
import { counted } from '../parts/format.ts';
import { Time } from '../parts/small.tsx';
import { differencesOf } from './amounts.ts';
import { Scope } from './scope.tsx';

type Audit = Schemas['BudgetAudit'];

interface AgreementProps {
  readonly budget: string;
  readonly environment: string;
}

/** Whether the ledger and the log agree, and by how much they differ in each window of the budget. */
export function Agreement({ budget, environment }: AgreementProps): ReactNode {
  const audit = useQuery({ queryKey: ['budget-audit'], queryFn: () => get<Audit>('/v1/budget-audit') });
  return (
    <Part what="the comparison of ledger and log" query={audit} height={42}>
      {({ data, exact, unsettled_events: unsettled }) => {
        if (exact) return <Empty>Ledger and log agree.</Empty>;
        const wrong = data.filter((line) => !line.exact);
        const own = wrong.filter((line) => line.budget === budget && line.environment === environment);
        const others = wrong.length - own.length;
        const elsewhere = [
          ...(others > 0 ? [`They differ in ${counted(others, 'window')} of other budgets.`] : []),
          ...(unsettled > 0 ? [`The ledger lacks the end of ${counted(unsettled, 'call')}.`] : []),
        ];
        return (
          <Empty>
            {own.length === 0 ? (
              'Ledger and log agree for this budget. '
            ) : (
              <ul className="red">
                {own.map((line) => (
                  <li key={line.period_id}>
                    Ledger and log differ since <Time at={line.start} as="table" />, <Scope scope={line.scope} />:{' '}
                    {differencesOf(line).join('; ')}.
                  </li>
                ))}
              </ul>
            )}
            {elsewhere.length > 0 && <span className="red">{elsewhere.join(' ')} weir budgets audit shows where.</span>}
          </Empty>
        );
      }}
    </Part>
  );
}
