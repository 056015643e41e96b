import { Link } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { useFeature, usePolled } from '../api/queries.ts';
import type { BudgetState, Data } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { count, figure, ratio } from '../parts/format.ts';
import { CopyButton, Time } from '../parts/small.tsx';
import { Page } from '../shell/page.tsx';
import { inEnvironment } from '../shell/page-environment.ts';
import { useView } from '../shell/view.ts';
import { ForecastCell, UsedCells } from './budget-cells.tsx';
import { Refused } from './refused.tsx';
import { Scope } from './scope.tsx';
import { MAX_REQUESTED, useSeries } from './use-series.ts';

const EXAMPLE = `budgets:
  - id: team-daily-spend
    scope: [metadata.team]
    window: { per: day, timezone: UTC }
    limit: { usd: 250 }
    warn_at: [0.8]
    on_exceed: block
`;

/** The number of rows rendered at first, and added each time. */
const ROWS = 100;
/** The maximum number of budgets that the service returns. */
const MAX_BUDGETS = 1_000;

/** Shows whether each budget will last until its window ends. */
export function BudgetsPage(): ReactNode {
  const { environmentParam } = useView();
  const budgets = usePolled<Data<BudgetState>>(['budgets', environmentParam], '/v1/budgets', {
    environment: environmentParam,
  });
  return (
    <Page title="Budgets">
      <Block what="budgets" query={budgets} height={240}>
        {({ data }) =>
          data.length === 0 ? (
            <div className="stack">
              <Empty>
                No budget is in use here. Budgets are defined in the policy; this one limits the spending of each team
                per day.
              </Empty>
              <pre className="snippet" tabIndex={0}>
                {EXAMPLE}
              </pre>
              <div className="line">
                <CopyButton text={EXAMPLE}>Copy</CopyButton>
              </div>
            </div>
          ) : (
            <Budgets budgets={data} hasEnvironment={environmentParam === undefined} />
          )
        }
      </Block>
    </Page>
  );
}

interface BudgetsProps {
  readonly budgets: readonly BudgetState[];
  /** Whether budgets of several environments are shown. */
  readonly hasEnvironment: boolean;
}

/** The table of budgets, the most used first. */
function Budgets({ budgets, hasEnvironment }: BudgetsProps): ReactNode {
  const hasForecast = useFeature('budgets.series');
  const [rows, setRows] = useState(ROWS);
  const sorted = useMemo(() => [...budgets].sort((one, other) => other.used_ratio - one.used_ratio), [budgets]);
  return (
    <>
      <table className="table fold">
        <Head hasForecast={hasForecast} />
        <tbody>
          {sorted.slice(0, rows).map((budget, index) => (
            <Row
              key={`${budget.environment}${budget.budget}${budget.period_id ?? ''}${JSON.stringify(budget.scope)}`}
              budget={budget}
              hasForecast={hasForecast}
              isRequested={index < MAX_REQUESTED}
              hasEnvironment={hasEnvironment}
              others={budgets}
            />
          ))}
        </tbody>
      </table>
      {sorted.length > rows && (
        <p className="line quiet-box">
          <span className="dim">
            The {count(rows)} most used of {count(sorted.length)} budgets.
          </span>
          <button type="button" className="button" onClick={() => setRows(rows + ROWS)}>
            Show {count(Math.min(ROWS, sorted.length - rows))} more
          </button>
        </p>
      )}
      {sorted.length >= MAX_BUDGETS && sorted.length <= rows && (
        <p className="dim quiet-box">The service returns at most {count(MAX_BUDGETS)} budgets; there may be more.</p>
      )}
    </>
  );
}

function Head({ hasForecast }: { readonly hasForecast: boolean }): ReactNode {
  return (
    <thead>
      <tr>
        <th scope="col">Budget</th>
        <th scope="col">Scope</th>
        <th scope="col">Window</th>
        <th scope="col" className="num">
          Used
        </th>
        <th scope="col">
          <span className="sr">Bar</span>
        </th>
        <th scope="col" className="num">
          <span className="sr">Share</span>
        </th>
        <th scope="col" className="num">
          Left
        </th>
        {hasForecast && (
          <th scope="col" className="num">
            Forecast
          </th>
        )}
        <th scope="col">When exceeded</th>
      </tr>
    </thead>
  );
}

interface RowProps {
  readonly budget: BudgetState;
  readonly hasForecast: boolean;
  /** Whether the budget's forecast and refusals are requested. */
  readonly isRequested: boolean;
  /** Whether budgets of several environments are shown. */
  readonly hasEnvironment: boolean;
  readonly others: readonly BudgetState[];
}

function Row({ budget, hasForecast, isRequested, hasEnvironment, others }: RowProps): ReactNode {
  const { environment: env, budget: id, unit, window } = budget;
  const forecast = useSeries(budget, hasForecast && isRequested).data?.forecast;
  return (
    <tr>
      <td className="budget-name">
        <Link to="/budgets/$env/$id" params={{ env, id }} search={inEnvironment(env)} className="strong">
          {id}
        </Link>
        {hasEnvironment && <span className="dim"> {env}</span>}
      </td>
      <td className="budget-scope">
        {budget.period_id === null ? <span className="dim">no call yet</span> : <Scope scope={budget.scope} />}
      </td>
      <td className="dim budget-window">
        {window.per}
        {window.end !== null && (
          <>
            , ends <Time at={window.end} />
          </>
        )}
      </td>
      <UsedCells budget={budget} forecast={forecast} />
      <td className="num dim">{ratio(budget.used_ratio)}</td>
      <td className="num" data-label="left">
        {figure(budget.remaining, unit)}
      </td>
      {hasForecast && <ForecastCell budget={budget} forecast={forecast} />}
      <td>
        {budget.exceeded_at !== null ? (
          <span className="red">
            exceeded since <Time at={budget.exceeded_at} />
          </span>
        ) : budget.on_exceed === 'block' ? (
          'refuses calls'
        ) : (
          <span className="dim">only recorded</span>
        )}
        {isRequested && <Refused budget={budget} others={others} />}
      </td>
    </tr>
  );
}
