import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isMerged, type StatsGroup } from '../api/stats.ts';
import { UserText } from '../parts/text.tsx';

interface GroupNameProps {
  readonly by: 'app' | 'model' | 'rule';
  readonly group: Pick<StatsGroup, 'key' | 'label'>;
}

/** The name of a group, as a link to its calls. No filter selects calls without a value, or those of several merged groups. */
export function GroupName({ by, group }: GroupNameProps): ReactNode {
  const { key, label } = group;
  if (key === '' || isMerged(group)) return <span className="cut dim">{key === '' ? `no ${by}` : label}</span>;
  return (
    <Link
      to="/events"
      search={((before: object) => ({ ...before, [by]: key })) as never}
      className={by === 'rule' ? 'cut mono' : 'cut'}
    >
      <UserText text={label ?? key} cut />
    </Link>
  );
}
