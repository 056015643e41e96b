import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFeature } from '../api/queries.ts';
import { sum } from '../api/stats.ts';
import { ENVIRONMENTS, type ActivePolicy } from '../api/types.ts';
import { Failed, Skeleton } from '../parts/block.tsx';
import { count } from '../parts/format.ts';
import { Id, None, Time } from '../parts/small.tsx';
import { UserText, visible } from '../parts/text.tsx';
import { Page } from '../shell/page.tsx';
import { linkedEnvironment } from '../shell/page-environment.ts';
import { ReplicaDots } from './replicas.tsx';
import { Drift } from './drift.tsx';
import { activeOf, whoOf } from './use-policy.ts';
import { lastDays, useRules, useRuleStats } from './use-rules.ts';

/** The active policies, with date and author, and whether every replica runs them. */
export function PoliciesPage(): ReactNode {
  const policies = useQueries({
    queries: ENVIRONMENTS.map((env) => activeOf(env)),
  });
  const hasStats = useFeature('policies.rule_stats');
  return (
    <Page title="Policies">
      <table className="table fold">
        <thead>
          <tr>
            <th scope="col">Environment</th>
            <th scope="col">In force</th>
            <th scope="col">Since</th>
            <th scope="col">By, why</th>
            <th scope="col">Replicas</th>
            <th scope="col" className="num">
              Rules
            </th>
            {hasStats && (
              <th scope="col" className="num">
                Hits, 7 d
              </th>
            )}
            <th scope="col">Drift</th>
            <th scope="col">
              <span className="sr">Go to</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {ENVIRONMENTS.map((env, index) => {
            const query = policies[index];
            return query?.data === undefined ? (
              <tr key={env}>
                <td>{env}</td>
                <td colSpan={hasStats ? 8 : 7}>
                  {query === undefined || query.error === null ? (
                    <Skeleton height={20} />
                  ) : (
                    <Failed what={`the policy of ${env}`} error={query.error} again={() => void query.refetch()} />
                  )}
                </td>
              </tr>
            ) : (
              <PolicyRow key={env} active={query.data} production={policies[0]?.data} />
            );
          })}
        </tbody>
      </table>
      {policies.map(({ data }) =>
        data?.replicas
          .filter(({ problem }) => problem !== null)
          .map(({ id, name, problem }) => (
            <p key={id} className="notice amber">
              {data.environment}: replica {visible(name)} could not activate the policy in force:{' '}
              {visible(problem ?? '')}
            </p>
          )),
      )}
    </Page>
  );
}

const WEEK = lastDays(7);
/** In place of a number that loads: on small screens, the cells of a row share lines, which would move if a cell was empty. */
const WAITING = '…';

interface PolicyRowProps {
  readonly active: ActivePolicy;
  /** The policy with which the others are compared. */
  readonly production: ActivePolicy | undefined;
}

function PolicyRow({ active, production }: PolicyRowProps): ReactNode {
  const { environment: env, deployment } = active;
  const rules = useRules(env, active.digest);
  const hasStats = useFeature('policies.rule_stats');
  const hits = useRuleStats(env, WEEK);
  const by = whoOf(deployment);
  // The environment stays chosen on the pages after this one.
  const chosen = ((before: object) => ({ ...before, env: linkedEnvironment(env) })) as never;
  return (
    <tr>
      <td>
        <Link to="/policies/$env" params={{ env }} search={chosen} className="strong">
          {env}
        </Link>
      </td>
      <td>
        <span className="line tight nowrap">
          {deployment === null ? 'policies folder' : `#${deployment.number}`} <Id id={active.digest} tail={0} />
          {deployment !== null && deployment.signed_by.length > 0 && <span className="dim">signed</span>}
        </span>
      </td>
      <td className="nowrap">
        {deployment === null ? <span className="dim">with the server</span> : <Time at={deployment.created_at} />}
      </td>
      <td className="why">
        {deployment === null ? (
          <span className="dim wide-only">–</span>
        ) : (
          <span className="cut block-cut">
            {deployment.action} by {by}
            {deployment.because !== null && (
              <>
                {' '}
                “<UserText text={deployment.because} />”
              </>
            )}
          </span>
        )}
      </td>
      <td>
        <ReplicaDots replicas={active.replicas} />
      </td>
      <td className="num" data-label="rules">
        {rules.data?.rules.length ?? (rules.isLoading ? WAITING : <None />)}
      </td>
      {hasStats && (
        <td className="num" data-label="hits, 7 d">
          {hits.data !== undefined && count(sum(hits.data.map((each) => each.hits)))}
          {hits.data === undefined && (hits.isLoading ? WAITING : <None />)}
        </td>
      )}
      <td data-label="drift">
        <Drift active={active} production={production} />
      </td>
      <td className="acts">
        <Link to="/policies/$env/history" params={{ env }} search={chosen} className="button">
          History
        </Link>
      </td>
    </tr>
  );
}
