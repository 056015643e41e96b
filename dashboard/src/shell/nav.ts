/** The entries of the navigation. A page whose routes are missing in this version of the service is not offered. */
import { useMe } from '../api/queries.ts';
import type { Me } from '../api/types.ts';
import type { IconName } from '../parts/icons.tsx';

export interface Place {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  readonly key?: string;
  readonly manage?: true;
  readonly when?: (me: Me | undefined) => boolean;
}

/** Until the features of the service are known, all are assumed, so that the entries below do not move. */
const has = (feature: string) => (me: Me | undefined) => me === undefined || me.server.features.includes(feature);

export const PLACES: readonly Place[] = [
  { to: '/', label: 'Overview', icon: 'overview', key: 'o' },
  { to: '/events', label: 'Events', icon: 'events', key: 'e' },
  { to: '/sessions', label: 'Sessions', icon: 'sessions', key: 's', when: has('sessions') },
  { to: '/policies', label: 'Policies', icon: 'policies', key: 'p' },
  { to: '/budgets', label: 'Budgets', icon: 'budgets', key: 'b' },
  { to: '/apps', label: 'Apps', icon: 'apps', key: 'a', manage: true },
  { to: '/audit', label: 'Audit log', icon: 'audit', manage: true },
  { to: '/exports', label: 'Exports', icon: 'exports', manage: true },
  {
    to: '/subscription',
    label: 'Subscription',
    icon: 'subscription',
    manage: true,
    when: (me) => me?.server.billing === 'on',
  },
  { to: '/settings', label: 'Settings', icon: 'settings', manage: true },
];

export function usePlaces(): readonly Place[] {
  const me = useMe().data;
  return PLACES.filter(({ when }) => when === undefined || when(me));
}
