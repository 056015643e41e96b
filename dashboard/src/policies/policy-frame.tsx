/** What the pages of one environment's policy share: which one, and the tabs. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFeature } from '../api/queries.ts';
import { Failed, Skeleton } from '../parts/block.tsx';
import { Id, Time } from '../parts/small.tsx';
import { Foreign } from '../parts/text.tsx';
import { Page } from '../shell/page.tsx';
import { ReplicaDots } from './replicas.tsx';
import { useActive, useEnvironmentParam } from './use-policy.ts';

export function PolicyFrame({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  const env = useEnvironmentParam();
  const query = useActive(env);
  const active = query.data;
  const hasExceptions = useFeature('policies.exceptions');
  const tabs = [
    ['/policies/$env', 'Rules'],
    ['/policies/$env/history', 'History'],
    ['/policies/$env/files', 'Files'],
    ...(hasExceptions ? [['/policies/$env/exceptions', 'Exceptions'] as const] : []),
  ] as const;
  return (
    <Page
      title={`${title}, ${env}`}
      heading={
        <span className="line nowrap">
          <Link to="/policies" className="dim">
            Policies
          </Link>
          <span className="dim">/</span>
          <span className="cut">{env}</span>
        </span>
      }
    >
      {query.error !== null && (
        <Failed what={`the policy of ${env}`} error={query.error} again={() => void query.refetch()} />
      )}
      {active === undefined && query.error === null && <Skeleton height={320} />}
      {active !== undefined && (
        <p className="line">
          <span className="strong">
            {active.deployment === null ? 'From the policies folder' : `Deployment ${active.deployment.number}`}
          </span>
          <Id id={active.digest} tail={0} />
          {active.deployment !== null && (
            <span className="dim">
              <Time at={active.deployment.created_at} />
              {active.deployment.because !== null && (
                <>
                  , “<Foreign text={active.deployment.because} />”
                </>
              )}
            </span>
          )}
          <ReplicaDots replicas={active.replicas} />
          {active.deployment?.emergency === true && (
            <span className="amber">Emergency change: bring it back into git with weir pull --as-patch</span>
          )}
        </p>
      )}
      {/* All at once, so that nothing moves when the first line comes. */}
      {(active !== undefined || query.error !== null) && (
        <>
          <nav className="tabs" aria-label="About this policy">
            {tabs.map(([to, label]) => (
              <Link
                key={to}
                to={to as '/policies/$env'}
                params={{ env }}
                activeOptions={{ exact: to === '/policies/$env', includeSearch: false }}
              >
                {label}
              </Link>
            ))}
            <Link to="/policies/playground" search={{ env } as never}>
              Playground
            </Link>
          </nav>
          {children}
        </>
      )}
    </Page>
  );
}
