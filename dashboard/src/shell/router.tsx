/** Every address of the dashboard, and the module that is loaded for it. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
  type RouteComponent,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useZone } from '../parts/zone.ts';
import { Layout } from './layout.tsx';
import { NotFound, PageFailed } from './not-found.tsx';
import { keepPlaces } from './places.ts';
import { parseSearch, RETAINED, stringifySearch, type Search } from './view.ts';

const root = createRootRoute({
  component: Layout,
  notFoundComponent: NotFound,
  errorComponent: ({ error }) => <PageFailed error={error} />,
  validateSearch: (search: Record<string, unknown>): Search => search as Search,
  search: { middlewares: [retainSearchParams([...RETAINED] as never)] },
});

interface Going {
  readonly search: Search;
  readonly params: unknown;
}

/**
 * The page is rendered again when another time zone is chosen, because times appear everywhere. It stays mounted: a key that is shown once
 * and texts that a user has typed are kept. A component of `memo` is rendered again only if it calls `useZone` itself.
 */
function inZone(Component: RouteComponent): RouteComponent {
  const InZone = (): ReactNode => {
    useZone();
    return <Component />;
  };
  return Object.assign(InZone, { preload: () => Component.preload?.() });
}

const page = <Path extends string>(
  path: Path,
  component: ReturnType<typeof lazyRouteComponent>,
  beforeLoad: (going: Going) => void = () => undefined,
) => createRoute({ getParentRoute: () => root, path, component: inZone(component), beforeLoad });

const events = () => import('../events/index.ts');
const policies = () => import('../policies/index.ts');
const apps = () => import('../apps/index.ts');
const exports = () => import('../exports/index.ts');
const settings = () => import('../settings/index.ts');

const isNumber = (value: string | undefined): boolean => value !== undefined && /^\d+$/.test(value);

/**
 * On other pages `from` and `to` are times that every link keeps; here a user may have typed numbers of deployments.
 */
function ofDeployments({ search: { from, to, ...rest }, params }: Going): void {
  if (!isNumber(from) && !isNumber(to)) return;
  const search = { ...rest, from: undefined, to: undefined, was: from, is: to };
  throw redirect({
    to: '/policies/$env/diff',
    params: params as { env: string },
    search: search as never,
    replace: true,
  });
}

const routes = [
  page(
    '/',
    lazyRouteComponent(() => import('../overview/overview-page.tsx'), 'OverviewPage'),
  ),
  page('/events', lazyRouteComponent(events, 'EventsPage')),
  page('/events/$id', lazyRouteComponent(events, 'CallPage')),
  page(
    '/sessions',
    lazyRouteComponent(() => import('../sessions/sessions-page.tsx'), 'SessionsPage'),
  ),
  page(
    '/sessions/$id',
    lazyRouteComponent(() => import('../sessions/session-page.tsx'), 'SessionPage'),
  ),
  page('/policies', lazyRouteComponent(policies, 'PoliciesPage')),
  page(
    '/policies/playground',
    lazyRouteComponent(() => import('../policies/playground-page.tsx'), 'PlaygroundPage'),
  ),
  page('/policies/$env', lazyRouteComponent(policies, 'RulesPage')),
  page('/policies/$env/history', lazyRouteComponent(policies, 'HistoryPage')),
  page('/policies/$env/diff', lazyRouteComponent(policies, 'DiffPage'), ofDeployments),
  page('/policies/$env/files', lazyRouteComponent(policies, 'FilesPage')),
  page('/policies/$env/files/$', lazyRouteComponent(policies, 'FilesPage')),
  page('/policies/$env/exceptions', lazyRouteComponent(policies, 'ExceptionsPage')),
  page('/policies/$env/rules/$rule', lazyRouteComponent(policies, 'RulePage')),
  page(
    '/budgets',
    lazyRouteComponent(() => import('../budgets/budgets-page.tsx'), 'BudgetsPage'),
  ),
  page(
    '/budgets/$env/$id',
    lazyRouteComponent(() => import('../budgets/budget-page.tsx'), 'BudgetPage'),
  ),
  page('/apps', lazyRouteComponent(apps, 'AppsPage')),
  page('/apps/$id', lazyRouteComponent(apps, 'AppPage')),
  page('/apps/$id/setup', lazyRouteComponent(apps, 'SetupPage')),
  page('/apps/$id/settings', lazyRouteComponent(apps, 'AppSettingsPage')),
  page('/apps/$id/settings/$tab', lazyRouteComponent(apps, 'AppSettingsPage')),
  page(
    '/audit',
    lazyRouteComponent(() => import('../audit/audit-page.tsx'), 'AuditPage'),
  ),
  page('/exports', lazyRouteComponent(exports, 'ExportsPage')),
  page('/exports/schedules/$id', lazyRouteComponent(exports, 'SchedulePage')),
  page(
    '/subscription',
    lazyRouteComponent(() => import('../subscription/subscription-page.tsx'), 'SubscriptionPage'),
  ),
  page('/settings/$tab', lazyRouteComponent(settings, 'SettingsPage')),
  createRoute({
    getParentRoute: () => root,
    path: '/settings',
    beforeLoad: () => {
      throw redirect({ to: '/settings/$tab', params: { tab: 'profile' } });
    },
  }),
  page(
    '/more',
    lazyRouteComponent(() => import('./more-page.tsx'), 'MorePage'),
  ),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([...routes]),
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: false,
  parseSearch: parseSearch as never,
  stringifySearch,
});

keepPlaces(router);

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
