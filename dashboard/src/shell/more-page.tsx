import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMe } from '../api/queries.ts';
import { Icon } from '../parts/icons.tsx';
import { UserText } from '../parts/text.tsx';
import { usePlaces } from './nav.ts';
import { Page } from './page.tsx';
import { usePins } from './pins.ts';
import { parseSearch } from './view.ts';

/** The entries that do not fit into the bottom bar of a small screen. */
export function MorePage(): ReactNode {
  const me = useMe().data;
  return (
    <Page title="More">
      <ul className="more">
        {usePlaces().map(({ to, label, icon }) => (
          <li key={to}>
            <Link to={to as '/'}>
              <Icon name={icon} />
              {label}
            </Link>
          </li>
        ))}
        {usePins().map(({ id, name, query }) => (
          <li key={id}>
            <Link to="/events" search={parseSearch(query) as never}>
              <Icon name="events" />
              <UserText text={name} cut />
            </Link>
          </li>
        ))}
      </ul>
      <p className="meta">{me?.account.email}</p>
    </Page>
  );
}
