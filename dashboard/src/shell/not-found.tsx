import { Link } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { Page } from './page.tsx';

export function NotFound(): ReactNode {
  return (
    <Page title="Not found">
      <p>
        There is no such page. <Link to="/">Go to the overview</Link>
      </p>
    </Page>
  );
}

const RELOADED = 'weir.reloaded';

/** After an update of the service, an old page requests files that no longer exist: it is reloaded once. */
export function PageFailed({ error }: { readonly error: unknown }): ReactNode {
  const isGone = error instanceof Error && /dynamically imported module|module script/i.test(error.message);
  useEffect(() => {
    if (!isGone || sessionStorage.getItem(RELOADED) === location.pathname) return;
    sessionStorage.setItem(RELOADED, location.pathname);
    location.reload();
  }, [isGone]);
  return (
    <Page title="This page failed">
      <p role="alert">
        {isGone ? 'Weir was updated.' : 'An error occurred on this page.'}{' '}
        <button type="button" className="plain link" onClick={() => location.reload()}>
          Reload the page
        </button>
      </p>
    </Page>
  );
}
