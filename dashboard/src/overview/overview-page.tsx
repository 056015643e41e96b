/** The overview: problems and costs. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { get } from '../api/client.ts';
import { useApps, useFeature, usePolled } from '../api/queries.ts';
import { RANKED, sum, sumBig, useStats } from '../api/stats.ts';
import { ENVIRONMENTS, type BudgetState, type CallEvent, type Data, type Page as Paged } from '../api/types.ts';
import { BudgetBar } from '../budgets/budget-bar.tsx';
import { Scope } from '../budgets/scope.tsx';
import { useSeries } from '../budgets/use-series.ts';
import { Block, Empty, Skeleton } from '../parts/block.tsx';
import { amount } from '../parts/format.ts';
import { EventRows } from '../parts/event-rows.tsx';
import { SearchedTo } from '../parts/further-back.tsx';
import { strongestFirst } from '../parts/outcome.tsx';
import { Cost, Id, Segments } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { ReplicaDots } from '../policies/replicas.tsx';
import { activeOf } from '../policies/use-policy.ts';
import { Page } from '../shell/page.tsx';
import { inEnvironment } from '../shell/page-environment.ts';
import { useView } from '../shell/view.ts';
import { Attention } from './attention.tsx';
import { GroupName } from './group-name.tsx';
import { SharpestChanges } from './sharpest-changes.tsx';
import { TopRules } from './top-rules.tsx';
import { Traffic } from './traffic.tsx';

const WAITING_MS = 5_000;

export function OverviewPage(): ReactNode {
  const apps = useApps();
  const hasStats = useFeature('stats');
  const hasAttention = useFeature('attention');
  const hasRuleStats = useFeature('policies.rule_stats');
  // Polls until the first call arrives, then the page changes automatically; an older cached answer is never used.
  const newest = useQuery({
    queryKey: ['events', 'newest'],
    queryFn: () => get<Paged<CallEvent>>('/v1/events', { limit: 1 }, { background: true }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.data.length === 0 ? WAITING_MS : false),
  });
  const isNew = newest.data?.data.length === 0;
  if (isNew) return <FirstSteps app={apps.data?.[0]} />;
  return (
    <Page title="Overview">
      {hasStats && <Traffic />}
      <div className="columns">
        {hasAttention ? <Attention /> : <LatestBlocks />}
        <Budgets />
      </div>
      <Rankings hasStats={hasStats} hasRuleStats={hasRuleStats} />
      {hasStats && <SharpestChanges />}
    </Page>
  );
}

function FirstSteps({ app }: { readonly app: { readonly id: string; readonly name: string } | undefined }): ReactNode {
  return (
    <Page title="Overview">
      <section className="first">
        <h2>No calls yet. Set up an app; this takes a minute.</h2>
        <p className="dim">
          You need a key and one changed URL in your program. The first call then appears here immediately.
        </p>
        <Link to="/apps/$id/setup" params={{ id: app?.id ?? 'new' }} className="button primary">
          {app === undefined ? 'Create your first app' : `Set up ${visible(app.name)}`}
        </Link>
      </section>
    </Page>
  );
}

const RANKINGS = [
  ['rules', 'Rules'],
  ['apps', 'Apps'],
  ['models', 'Models'],
] as const;

interface RankingsProps {
  readonly hasStats: boolean;
  readonly hasRuleStats: boolean;
}

/** The rules, apps and models with the highest values, and the policies. A small screen shows one of the three rankings at a time. */
function Rankings({ hasStats, hasRuleStats }: RankingsProps): ReactNode {
  const [shown, show] = useState<(typeof RANKINGS)[number][0]>('rules');
  return (
    <div className={`stack wide rankings show-${shown}`}>
      {hasStats && (
        <div className="segments-bar narrow-only">
          <Segments label="Ranking" value={shown} options={RANKINGS} onChange={show} />
        </div>
      )}
      <div className="columns">
        <div className="of-rules">{hasRuleStats ? <TopRules /> : <LatestRedactions />}</div>
        <Policies />
      </div>
      {hasStats && (
        <div className="columns">
          <div className="of-apps">
            <Ranking title="Apps by cost" groupBy="app" />
          </div>
          <div className="of-models">
            <Ranking title="Models by cost" groupBy="model" />
          </div>
        </div>
      )}
    </div>
  );
}

const compare = (one: bigint, other: bigint): number => (one === other ? 0 : one > other ? 1 : -1);

function Ranking({ title, groupBy }: { readonly title: string; readonly groupBy: 'app' | 'model' }): ReactNode {
  const stats = useStats(groupBy, {}, RANKED);
  return (
    <Block title={title} what={title.toLowerCase()} query={stats} height={180}>
      {({ groups, from, to }) => {
        const rows = groups
          .map((group) => ({
            ...group,
            value: sumBig(group.cost_nano_usd ?? []),
            unpriced: sum(group.without_price ?? []),
          }))
          .filter(({ value, unpriced }) => value > 0n || unpriced > 0)
          .sort((left, right) => compare(right.value, left.value) || right.unpriced - left.unpriced)
          .slice(0, 6);
        // If no price is known, all bars are empty.
        const top = rows[0]?.value || 1n;
        if (rows.length === 0) return <Empty>None in this range.</Empty>;
        return (
          <ol className="ranking">
            {rows.map(({ key, label, value, unpriced }) => (
              <li key={key}>
                <GroupName by={groupBy} group={{ key, label }} counted={{ from, to }} />
                <svg className="ranking-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={Number((value * 1000n) / top) / 10} height="6" rx="1" fill="var(--accent)" />
                </svg>
                <span className="num">
                  <Cost nanoUsd={value} withoutPrice={unpriced} digits={2} />
                </span>
              </li>
            ))}
          </ol>
        );
      }}
    </Block>
  );
}

function Budgets(): ReactNode {
  const { environmentParam } = useView();
  const budgets = usePolled<Data<BudgetState>>(['budgets', environmentParam], '/v1/budgets', {
    environment: environmentParam,
  });
  return (
    <Block title="Budgets" what="budgets" query={budgets} height={120}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty>
            The policies contain no budget, or none has been used yet.{' '}
            <Link to="/budgets" className="link">
              How to write a budget
            </Link>
          </Empty>
        ) : (
          <ul className="rows pair">
            {[...data]
              .sort((left, right) => right.used_ratio - left.used_ratio)
              .slice(0, 5)
              .map((budget) => (
                <Budget key={`${budget.environment}${budget.budget}${JSON.stringify(budget.scope)}`} budget={budget} />
              ))}
          </ul>
        )
      }
    </Block>
  );
}

function Budget({ budget }: { readonly budget: BudgetState }): ReactNode {
  const forecast = useSeries(budget).data?.forecast ?? undefined;
  return (
    <li>
      <Link
        to="/budgets/$env/$id"
        params={{ env: budget.environment, id: budget.budget }}
        search={inEnvironment(budget.environment)}
        className="cut"
      >
        {budget.budget}{' '}
        <span className="dim">{Object.keys(budget.scope).length > 0 && <Scope scope={budget.scope} />}</span>
      </Link>
      <span className="num">
        {amount(budget.used, budget.unit)} <span className="dim">of {amount(budget.limit, budget.unit)}</span>
      </span>
      <BudgetBar budget={budget} atEnd={forecast?.at_end} />
    </li>
  );
}

function Policies(): ReactNode {
  const policies = useQueries({
    queries: ENVIRONMENTS.map((env) => activeOf(env)),
  });
  return (
    <section className="block">
      <h2>Policies in force</h2>
      <ul className="rows">
        {ENVIRONMENTS.map((env, index) => {
          const active = policies[index]?.data;
          const failed = policies[index]?.error;
          return (
            <li key={env}>
              <Link to="/policies/$env" params={{ env }} search={inEnvironment(env)}>
                {env}
              </Link>
              {active === undefined ? (
                failed === null ? (
                  <Skeleton height={20} />
                ) : (
                  <span className="dim">could not be loaded</span>
                )
              ) : (
                <>
                  <span className="line tight nowrap dim">
                    {active.deployment === null ? 'folder' : `#${active.deployment.number}`}{' '}
                    <Id id={active.digest} tail={0} />
                  </span>
                  <ReplicaDots replicas={active.replicas} />
                </>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Latest({
  title,
  decision,
  empty,
}: {
  readonly title: string;
  readonly decision: string;
  readonly empty: string;
}): ReactNode {
  const { environmentParam, span } = useView();
  const events = usePolled<Paged<CallEvent>>(
    ['events', 'latest', decision, environmentParam, span.key],
    '/v1/events',
    () => ({ decision, environment: environmentParam, ...span.times(), limit: 6 }),
  );
  return (
    <Block
      title={title}
      aside={
        <Link to="/events" search={((before: object) => ({ ...before, decision })) as never} className="link meta">
          See all
        </Link>
      }
      what={title.toLowerCase()}
      query={events}
      height={180}
    >
      {({ data, next_cursor: next, searched_to: searchedTo }) =>
        data.length === 0 ? (
          <Empty>
            {next === null ? (
              empty
            ) : (
              <>
                Nothing matches so far. <SearchedTo at={searchedTo ?? null} />
              </>
            )}
          </Empty>
        ) : (
          <EventRows
            events={data}
            says={(event) => (
              <span className="mono">{strongestFirst(event.violations)[0]?.rule ?? event.reason ?? event.type}</span>
            )}
          />
        )
      }
    </Block>
  );
}

const LatestBlocks = (): ReactNode => (
  <Latest title="Latest blocks" decision="block" empty="Nothing was blocked in this range." />
);
const LatestRedactions = (): ReactNode => (
  <Latest title="Latest redactions" decision="redact" empty="Nothing was redacted in this range." />
);
