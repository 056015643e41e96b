/** The budget that refused a call, its scope, and the missing amount. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import type { BudgetState, CallEvent, Page } from '../api/types.ts';
import { Scope } from '../budgets/scope.tsx';
import { Part } from '../parts/block.tsx';
import { amount } from '../parts/format.ts';
import { Time } from '../parts/small.tsx';
import { OutcomeBadge } from '../parts/outcome.tsx';
import { inEnvironment } from '../shell/page-environment.ts';
import { reasonWords } from './reasons.ts';

/** The payload of a `budget.exceeded` event. */
type Refusal = Pick<BudgetState, 'budget' | 'scope' | 'window' | 'unit' | 'limit' | 'used' | 'reserved'> & {
  readonly occasion: string;
  /** The most that the call could need; absent if it is unknown. */
  readonly needed?: string;
};

export function BudgetRefusal({ event }: { readonly event: CallEvent }): ReactNode {
  const refusals = useQuery({
    queryKey: ['events', 'budget-refusal', event.id],
    queryFn: async ({ signal }) => {
      // A `budget.exceeded` event has the time of the refused call.
      const to = new Date(Date.parse(event.received_at) + 1).toISOString();
      const query = { type: 'budget.exceeded', app: event.app.id, from: event.received_at, to, limit: 200 };
      const { data } = await get<Page<CallEvent>>('/v1/events', query, { signal });
      return data
        .filter(({ parent_id: parent }) => parent === event.id)
        .map(({ payload }) => payload as unknown as Refusal)
        .filter(({ occasion }) => occasion === event.reason);
    },
  });
  return (
    <div className="frame blocked">
      <p className="line">
        <OutcomeBadge outcome="blocked" />
        <span>{reasonWords(event)}</span>
      </p>
      <Part what="the budget" query={refusals} height={20}>
        {(found) =>
          found.length === 0 ? null : (
            <ul className="plain-list">
              {found.map((refusal, index) => (
                <li key={index} className="meta">
                  <Link
                    to="/budgets/$env/$id"
                    params={{ env: event.environment, id: refusal.budget }}
                    search={inEnvironment(event.environment)}
                    className="link mono"
                  >
                    {refusal.budget}
                  </Link>{' '}
                  <Scope scope={refusal.scope} /> · {amount(refusal.used, refusal.unit)} of{' '}
                  {amount(refusal.limit, refusal.unit)} used
                  {Number(refusal.reserved) > 0 && `, ${amount(refusal.reserved, refusal.unit)} reserved`}
                  {refusal.needed !== undefined && `; the call could need ${amount(refusal.needed, refusal.unit)}`} ·
                  the {refusal.window.per} since <Time at={refusal.window.start} as="table" />
                </li>
              ))}
            </ul>
          )
        }
      </Part>
    </div>
  );
}
