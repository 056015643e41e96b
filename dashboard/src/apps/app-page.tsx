/** The address of an app: it opens the setup guide until the first event of the app, and then its settings. */
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import type { AppDetail } from '../api/types.ts';
import { Skeleton } from '../parts/block.tsx';
import { Page } from '../shell/page.tsx';

export function AppPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { id: string };
  const isNew = id === 'new';
  const { data, error, isFetching } = useQuery({
    queryKey: ['app', id],
    queryFn: () => get<AppDetail>(`/v1/apps/${encodeURIComponent(id)}`),
    enabled: !isNew,
  });
  const isWaiting = data?.last_event_at === null;
  // An older answer may be from before the first event.
  const isKnown = isNew || error !== null || (data !== undefined && !(isWaiting && isFetching));
  if (!isKnown) {
    return (
      <Page title="App">
        <Skeleton height={200} />
      </Page>
    );
  }
  // If the app cannot be loaded, its settings say why.
  const to = isNew || isWaiting ? '/apps/$id/setup' : '/apps/$id/settings';
  return <Navigate to={to} params={{ id }} replace />;
}
