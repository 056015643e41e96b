import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isMerged } from '../api/merged-groups.ts';
import type { Stats, StatsGroup } from '../api/stats.ts';
import { UserText } from '../parts/text.tsx';
import { useFiguresLink } from '../shell/zoom.ts';

interface GroupNameProps {
  readonly by: 'app' | 'model' | 'rule';
  readonly group: Pick<StatsGroup, 'key' | 'label'>;
  /** The range of the figures of the group. */
  readonly counted: Pick<Stats, 'from' | 'to'>;
}

/** The name of a group, as a link to its calls. No filter selects calls without a value, or those of several merged groups. */
export function GroupName({ by, group, counted }: GroupNameProps): ReactNode {
  const { times, noted } = useFiguresLink()(counted);
  const { key, label } = group;
  if (key === '' || isMerged(group)) return <span className="cut dim">{key === '' ? `no ${by}` : label}</span>;
  return (
    <Link
      to="/events"
      search={((before: object) => ({ ...before, ...times, [by]: key })) as never}
      onClick={noted}
      className={by === 'rule' ? 'cut mono' : 'cut'}
    >
      <UserText text={label ?? key} cut />
    </Link>
  );
}
