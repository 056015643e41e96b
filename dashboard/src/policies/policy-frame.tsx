/** The common frame of the pages about one environment's policy: the environment, and the tabs. */
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFeature } from '../api/queries.ts';
import type { ActivePolicy } from '../api/types.ts';
import { Part } from '../parts/block.tsx';
import { Id, Time } from '../parts/small.tsx';
import { UserText } from '../parts/text.tsx';
import { Page, Trail } from '../shell/page.tsx';
import { ReplicaDots } from './replicas.tsx';
import { useActive, useEnvironmentParam } from './use-policy.ts';

/** Pages without a tab of their own, and the tab that is highlighted for them. */
const BELOW: Readonly<Record<string, string>> = { rules: 'Rules', diff: 'History' };

export function PolicyFrame({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  const env = useEnvironmentParam();
  const query = useActive(env);
  const hasExceptions = useFeature('policies.exceptions');
  const below = useLocation({ select: ({ pathname }) => pathname.split('/')[3] });
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
        <Trail to="/policies" above="Policies">
          {env}
        </Trail>
      }
    >
      <Part what={`the policy of ${env}`} query={query} height={28}>
        {(active) => <InForce active={active} />}
      </Part>
      <nav className="tabs" aria-label="About this policy">
        {tabs.map(([to, label]) => (
          <Link
            key={to}
            to={to as '/policies/$env'}
            params={{ env }}
            activeOptions={{ exact: to === '/policies/$env', includeSearch: false }}
            aria-current={below !== undefined && BELOW[below] === label ? 'true' : undefined}
          >
            {label}
          </Link>
        ))}
        <Link to="/policies/playground" search={{ env } as never}>
          Playground
        </Link>
      </nav>
      {children}
    </Page>
  );
}

/** The active policy, in one line if there is space. */
function InForce({ active: { deployment, digest, replicas } }: { readonly active: ActivePolicy }): ReactNode {
  return (
    <p className="line">
      <span className="strong">
        {deployment === null ? 'From the policies folder' : `Deployment ${deployment.number}`}
      </span>
      <Id id={digest} tail={0} />
      {deployment !== null && (
        <span className="dim">
          <Time at={deployment.created_at} />
          {deployment.because !== null && (
            <>
              , “<UserText text={deployment.because} />”
            </>
          )}
        </span>
      )}
      <ReplicaDots replicas={replicas} />
      {deployment?.emergency === true && (
        <span className="amber">Emergency change: bring it back into git with weir pull --as-patch</span>
      )}
    </p>
  );
}
