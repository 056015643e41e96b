import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFeature } from '../api/queries.ts';
import { sum } from '../api/stats.ts';
import { ENVIRONMENTS, type ActivePolicy } from '../api/types.ts';
import { Failed, Skeleton } from '../parts/block.tsx';
import { count } from '../parts/format.ts';
import { Id, None, Time } from '../parts/small.tsx';
import { TableHead, type Column } from '../parts/table-head.tsx';
import { UserText, visible } from '../parts/text.tsx';
import { Page } from '../shell/page.tsx';
import { linkedEnvironment } from '../shell/page-environment.ts';
import { ReplicaDots } from './replicas.tsx';
import { Drift } from './drift.tsx';
import { activeOf, whoOf } from './use-policy.ts';
import { lastDays, useRules, useRuleStats } from './use-rules.ts';

const COLUMNS: readonly Column[] = [
  ...['Environment', 'In force', 'Since', 'By, why', 'Replicas'],
  { label: 'Rules', className: 'num' },
];
const COLUMN_OF_HITS: Column = { label: 'Hits, 7 d', className: 'num' };
const LAST_COLUMNS: readonly Column[] = ['Drift', { label: 'Go to', hidden: true }];

/** The active policies, with date and author, and whether every replica runs them. */
export function PoliciesPage(): ReactNode {
  const policies = useQueries({
    queries: ENVIRONMENTS.map((env) => activeOf(env)),
  });
  const hasStats = useFeature('policies.rule_stats');
  return (
    <Page title="Policies">
      <table className="table fold">
        <TableHead columns={[...COLUMNS, ...(hasStats ? [COLUMN_OF_HITS] : []), ...LAST_COLUMNS]} />
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
        <Why deployment={deployment} />
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

/** Who deployed the policy, and why. */
function Why({ deployment }: Pick<ActivePolicy, 'deployment'>): ReactNode {
  if (deployment === null) return <span className="dim wide-only">–</span>;
  return (
    <span className="cut block-cut">
      {deployment.action} by {whoOf(deployment)}
      {deployment.because !== null && (
        <>
          {' '}
          “<UserText text={deployment.because} />”
        </>
      )}
    </span>
  );
}
