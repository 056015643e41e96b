/** The scope of a budget: its team, user or app. */
import type { ReactNode } from 'react';
import { useApps } from '../api/queries.ts';
import type { BudgetState } from '../api/types.ts';
import { UserText, visible } from '../parts/text.tsx';

export function Scope({ scope }: { readonly scope: BudgetState['scope'] }): ReactNode {
  const pairs = Object.entries(scope);
  if (pairs.length === 0) return <span className="dim">all calls</span>;
  return (
    <>
      {pairs.map(([key, value]) => (
        <span key={key}>
          <span className="dim">{visible(key.replace(/^metadata\./, ''))}</span>{' '}
          {value === null ? (
            <span className="dim">none</span>
          ) : key === 'app' ? (
            <AppName id={value} />
          ) : (
            <UserText text={value} />
          )}{' '}
        </span>
      ))}
    </>
  );
}

function AppName({ id }: { readonly id: string }): ReactNode {
  const app = useApps().data?.find((each) => each.id === id);
  return <UserText text={app?.name ?? id} />;
}
