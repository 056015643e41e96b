/** Clients choose the ids of their events, so that two apps or environments may use the same one: here a person chooses which is meant. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApps } from '../api/queries.ts';
import { ENVIRONMENTS } from '../api/types.ts';
import { UserText } from '../parts/text.tsx';
import { useSearchParams } from '../shell/view.ts';
import { appOfCall, searchOfCall } from './neighbours.ts';

interface AmbiguousProps {
  readonly id: string;
  /** The parameters that the service needs: `app`, `environment` or both. */
  readonly needed: readonly string[];
}

export function AmbiguousCall({ id, needed }: AmbiguousProps): ReactNode {
  const chosen = appOfCall(useSearchParams());
  const apps = useApps().data ?? [];
  const isOfApp = needed.includes('app');
  const choices = isOfApp
    ? apps.map(({ id: app, name }) => ({ key: app, words: name, search: searchOfCall(app) }))
    : ENVIRONMENTS.map((each) => ({ key: each, words: each as string, search: searchOfCall(chosen, each) }));
  return (
    <div className="stack">
      <p>Several events have this id. {isOfApp ? 'Choose the app of the event:' : 'Choose its environment:'}</p>
      <ul className="rows" aria-label={isOfApp ? 'Apps' : 'Environments'}>
        {choices.map(({ key, words, search }) => (
          <li key={key}>
            <Link to="/events/$id" params={{ id }} search={search as never} className="link">
              <UserText text={words} />
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
