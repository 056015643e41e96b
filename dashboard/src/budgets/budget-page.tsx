import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { ApiError, get, send } from '../api/client.ts';
import { isRepeated, MINUTE_MS, polled, useFeature } from '../api/queries.ts';
import type { BudgetEntries, BudgetState, Data } from '../api/types.ts';
import { Block, Empty, Part } from '../parts/block.tsx';
import Dialog from '../parts/dialog.tsx';
import { FormEnd } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { amount, columnAmount, figure, ratio } from '../parts/format.ts';
import { HistoryLink } from '../parts/history-link.tsx';
import { OlderButton } from '../parts/older-button.tsx';
import { Field, Time } from '../parts/small.tsx';
import { UserText } from '../parts/text.tsx';
import { Page, Trail } from '../shell/page.tsx';
import { BudgetBar } from './budget-bar.tsx';
import { BudgetSeries } from './budget-series.tsx';
import { Scope } from './scope.tsx';
import { TableHead } from '../parts/table-head.tsx';

interface Audit {
  readonly exact: boolean;
  readonly unsettled_events: number;
}

export function BudgetPage(): ReactNode {
  const { env, id } = useParams({ strict: false }) as { env: string; id: string };
  const [isPast, setPast] = useState(false);
  const [adjusted, setAdjusted] = useState<BudgetState | null>(null);
  const path = `/v1/budgets/${encodeURIComponent(id)}`;
  const budget = useQuery({
    ...polled<Data<BudgetState>>(['budget', env, id, isPast], path, { environment: env, past: isPast }),
    select: ({ data }) => data,
    placeholderData: keepPreviousData,
  });
  const [chosen, setChosen] = useState<string | null>(null);
  const isUnknown = budget.data === undefined && budget.error instanceof ApiError && budget.error.status === 404;
  const current = budget.data?.find(({ period_id: period }) => period === chosen) ?? budget.data?.[0];
  return (
    <Page
      title={`Budget ${id}`}
      heading={
        <Trail to="/budgets" above="Budgets">
          {id}
        </Trail>
      }
    >
      <div className="line">
        <span>{env}</span>
        <label className="line tight push">
          <input type="checkbox" checked={isPast} onChange={(event) => setPast(event.target.checked)} />
          Past windows
        </label>
      </div>
      {isUnknown && (
        <Empty>
          There is no budget with this name in force in {env}.{' '}
          <Link to="/budgets" className="link">
            All budgets
          </Link>
        </Empty>
      )}
      {!isUnknown && (
        <Part what="the budget" query={budget} height={420}>
          {(list) => (
            <div className="stack wide">
              {current !== undefined && <BudgetSeries budget={current} />}
              <Scopes list={list} choose={setChosen} adjust={setAdjusted} />
              {typeof current?.period_id === 'string' && (
                <Ledger id={id} period={current.period_id} unit={current.unit} />
              )}
            </div>
          )}
        </Part>
      )}
      {adjusted !== null && <AdjustDialog budget={adjusted} close={() => setAdjusted(null)} />}
    </Page>
  );
}

interface ScopesProps {
  readonly list: readonly BudgetState[];
  readonly choose: (period: string | null) => void;
  readonly adjust: (budget: BudgetState) => void;
}

function Scopes({ list, choose, adjust }: ScopesProps): ReactNode {
  return (
    <section className="block">
      <h2>Scopes</h2>
      {list.length === 0 ? (
        <Empty>This budget has no spending in this window.</Empty>
      ) : (
        <table className="table fold">
          <TableHead
            columns={[
              'Scope',
              'Window',
              { label: 'Used', className: 'num' },
              { label: 'Share', hidden: true },
              { label: 'Left', className: 'num' },
              'State',
              { label: 'Actions', hidden: true },
            ]}
          />
          <tbody>
            {list.map((each) => (
              <tr key={`${each.period_id ?? ''}${JSON.stringify(each.scope)}`}>
                <td>
                  <button type="button" className="link plain" onClick={() => choose(each.period_id)}>
                    <Scope scope={each.scope} />
                  </button>
                </td>
                <td className="dim">
                  since <Time at={each.window.start} as="table" />
                </td>
                <td className="num">
                  {figure(each.used, each.unit)} <span className="dim">of {amount(each.limit, each.unit)}</span>
                </td>
                <td className="bar-cell">
                  <BudgetBar budget={each} />
                </td>
                <td className="num" data-label="left">
                  {amount(each.remaining, each.unit)}
                </td>
                <td>
                  {each.exceeded_at !== null ? (
                    <span className="red">
                      exceeded since <Time at={each.exceeded_at} as="table" />
                    </span>
                  ) : each.warned.length > 0 ? (
                    <span className="amber">
                      warned at {ratio(each.warned.at(-1)!.ratio)}, <Time at={each.warned.at(-1)!.at} as="table" />
                    </span>
                  ) : (
                    <span className="dim">{ratio(each.used_ratio)}</span>
                  )}
                </td>
                <td className="num">
                  {each.period_id !== null && (
                    <button type="button" className="button" onClick={() => adjust(each)}>
                      Adjust
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Agreement />
    </section>
  );
}

/** Whether the ledger and the log agree. */
function Agreement(): ReactNode {
  const audit = useQuery({ queryKey: ['budget-audit'], queryFn: () => get<Audit>('/v1/budget-audit') });
  return (
    <Part what="the comparison of ledger and log" query={audit} height={42}>
      {({ exact }) => (
        <Empty>
          {exact ? (
            'Ledger and log agree.'
          ) : (
            <span className="red">Ledger and log differ; weir budgets audit shows where.</span>
          )}
        </Empty>
      )}
    </Part>
  );
}

function Ledger({
  id,
  period,
  unit,
}: {
  readonly id: string;
  readonly period: string;
  readonly unit: 'usd' | 'tokens';
}): ReactNode {
  const isThere = useFeature('budgets.series');
  const queryKey = ['entries', period];
  const entries = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam: cursor, signal }) => {
      const background = cursor === undefined && isRepeated(queryKey);
      const path = `/v1/budgets/${encodeURIComponent(id)}/entries`;
      return get<BudgetEntries>(path, { period_id: period, cursor }, { signal, background });
    },
    // While there is one page, it is kept up to date.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : MINUTE_MS),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    enabled: isThere,
  });
  if (!isThere) return null;
  return (
    <Block
      title="Ledger"
      aside={<HistoryLink of={[period]}>History of adjustments</HistoryLink>}
      what="the ledger"
      query={entries}
      height={160}
    >
      {(list) =>
        list.length === 0 ? (
          <Empty>No entry yet.</Empty>
        ) : (
          <ul className="rows">
            {list.map((entry, index) => (
              <li key={index}>
                <span className="meta">
                  <Time at={entry.at} as="table" />
                </span>
                <span className="cut">
                  {entry.kind}
                  {entry.event_id !== null && (
                    <>
                      {' '}
                      <Link to="/events/$id" params={{ id: entry.event_id }} className="link">
                        event
                      </Link>
                    </>
                  )}
                  {entry.because !== null && (
                    <>
                      {' '}
                      “<UserText text={entry.because} />”
                      {typeof entry.by?.name === 'string' && (
                        <span className="dim">
                          {' '}
                          <UserText text={entry.by.name} />
                        </span>
                      )}
                    </>
                  )}
                </span>
                <span className="num">{columnAmount(entry.amount, unit)}</span>
              </li>
            ))}
            {entries.hasNextPage && (
              <li>
                <OlderButton list={entries} what="entries" />
              </li>
            )}
          </ul>
        )
      }
    </Block>
  );
}

function AdjustDialog({ budget, close }: { readonly budget: BudgetState; readonly close: () => void }): ReactNode {
  const [value, setValue] = useState('');
  const [because, setBecause] = useState('');
  const sending = useSending();
  const client = useQueryClient();
  const adjust = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      await send('POST', `/v1/budgets/${encodeURIComponent(budget.budget)}/adjustments`, {
        period_id: budget.period_id,
        amount: value,
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
          Used now: {amount(budget.used, budget.unit)} of {amount(budget.limit, budget.unit)}. A negative amount reduces
          the spending.
        </p>
        <Field
          label={budget.unit === 'usd' ? 'Amount in dollars' : 'Amount in tokens'}
          problem={sending.problemOf('amount')}
        >
          <input
            className="input tab-nums"
            inputMode="decimal"
            required
            pattern="-?[0-9]+([.][0-9]+)?"
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
