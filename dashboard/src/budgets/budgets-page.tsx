import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFeature, usePolled } from '../api/queries.ts';
import type { BudgetState, Data } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { amount, figure, ratio } from '../parts/format.ts';
import { CopyButton, None, Time } from '../parts/small.tsx';
import { Page } from '../shell/page.tsx';
import { useView } from '../shell/view.ts';
import { BudgetBar } from './budget-bar.tsx';
import { Refused } from './refused.tsx';
import { Scope } from './scope.tsx';
import { useSeries } from './use-series.ts';

const EXAMPLE = `budgets:
  - id: team-daily-spend
    scope: [metadata.team]
    window: { per: day, timezone: UTC }
    limit: { usd: 250 }
    warn_at: [0.8]
    on_exceed: block
`;

/** Of so many the forecast is asked for, the most used ones. */
const MOST_FORETOLD = 20;

/** Will it hold until the window ends? */
export function BudgetsPage(): ReactNode {
  const { environmentParam } = useView();
  const budgets = usePolled<Data<BudgetState>>(['budgets', environmentParam], '/v1/budgets', {
    environment: environmentParam,
  });
  const hasForecast = useFeature('budgets.series');
  return (
    <Page title="Budgets">
      <Block what="budgets" query={budgets} height={240}>
        {({ data }) =>
          data.length === 0 ? (
            <div className="stack">
              <Empty>
                No budget is in use here. A budget stands in the policy; this one limits what each team spends in a day.
              </Empty>
              <pre className="snippet" tabIndex={0}>
                {EXAMPLE}
              </pre>
              <div className="line">
                <CopyButton text={EXAMPLE}>Copy</CopyButton>
              </div>
            </div>
          ) : (
            <table className="table fold">
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
              <tbody>
                {data.map((budget, index) => (
                  <Row
                    key={`${budget.environment}${budget.budget}${budget.period_id ?? ''}${JSON.stringify(budget.scope)}`}
                    budget={budget}
                    isForetold={hasForecast ? index < MOST_FORETOLD : undefined}
                    hasEnvironment={environmentParam === undefined}
                    others={data}
                  />
                ))}
              </tbody>
            </table>
          )
        }
      </Block>
    </Page>
  );
}

interface RowProps {
  readonly budget: BudgetState;
  /** Whether its forecast is asked for; undefined: this version has none. */
  readonly isForetold: boolean | undefined;
  /** Those of more than one environment are shown. */
  readonly hasEnvironment: boolean;
  readonly others: readonly BudgetState[];
}

function Row({ budget, isForetold, hasEnvironment, others }: RowProps): ReactNode {
  const { environment: env, budget: id, unit, window } = budget;
  const forecast = useSeries(budget, isForetold === true).data?.forecast ?? undefined;
  return (
    <tr>
      <td className="nowrap">
        <Link to="/budgets/$env/$id" params={{ env, id }} className="strong">
          {id}
        </Link>
        {hasEnvironment && <span className="dim"> {env}</span>}
      </td>
      <td>{budget.period_id === null ? <span className="dim">no call yet</span> : <Scope scope={budget.scope} />}</td>
      <td className="dim nowrap">
        {window.per}
        {window.end !== null && (
          <>
            , ends <Time at={window.end} />
          </>
        )}
      </td>
      <td className="num">
        {figure(budget.used, unit)} <span className="dim">of {amount(budget.limit, unit)}</span>
      </td>
      <td className="bar-cell">
        <BudgetBar budget={budget} atEnd={forecast?.at_end} />
      </td>
      <td className="num dim">{ratio(budget.used_ratio)}</td>
      <td className="num" data-label="left">
        {figure(budget.remaining, unit)}
      </td>
      {isForetold !== undefined && (
        <td className="num" data-label="at the end">
          {forecast === undefined ? (
            <None />
          ) : (
            <span
              className={forecast.reaches_limit_at === null ? '' : 'amber'}
              title={`In four cases of five between ${amount(forecast.low, unit)} and ${amount(forecast.high, unit)}`}
            >
              {figure(forecast.at_end, unit)}
            </span>
          )}
        </td>
      )}
      <td>
        {budget.exceeded_at !== null ? (
          <span className="red">
            over since <Time at={budget.exceeded_at} />
          </span>
        ) : budget.on_exceed === 'block' ? (
          'refuses calls'
        ) : (
          <span className="dim">only recorded</span>
        )}
        {isForetold !== false && <Refused budget={budget} others={others} />}
      </td>
    </tr>
  );
}
