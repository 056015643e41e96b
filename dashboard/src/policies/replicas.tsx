import type { ReactNode } from 'react';
import type { ActivePolicy } from '../api/types.ts';
import { visible } from '../parts/visible.ts';

export function ReplicaDots({ replicas }: { readonly replicas: ActivePolicy['replicas'] }): ReactNode {
  const active = replicas.filter(({ state }) => state === 'active').length;
  return (
    <span className="line tight nowrap">
      <span className="dots" aria-hidden="true">
        {replicas.slice(0, 12).map(({ id, name, state, problem }) => (
          <i
            key={id}
            className={`dot ${state}`}
            title={visible(`${name}: ${state}${problem === null ? '' : `, ${problem}`}`)}
          />
        ))}
      </span>
      <span className="tab-nums">
        {active} of {replicas.length}
      </span>
    </span>
  );
}
