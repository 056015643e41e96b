import { useRouter } from '@tanstack/react-router';
import { useSyncExternalStore, type ReactNode } from 'react';
import { focusPage } from '../parts/focus.ts';
import { visible } from '../parts/visible.ts';
import { unusedOf, type Unused } from './unused-parameters.ts';
import { useSearchParams, useSetSearch } from './view.ts';

/** Reports parameters of the link that have no effect on the page. */
export function LinkNotices(): ReactNode {
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const { history, latestLocation } = useRouter();
  // The router drops repeated parameters, so they are read from the address itself.
  const written = useSyncExternalStore(
    (listen) => history.subscribe(listen),
    () => history.location.search,
  );
  const remove = ({ name, reason }: Unused): void => {
    focusPage();
    if (reason === 'repeated') history.replace(latestLocation.href);
    else setSearch({ [name]: undefined });
  };
  return unusedOf(search, written).map((unused) => (
    <p key={`${unused.name} ${unused.reason}`} className="notice amber">
      <Words unused={unused} />{' '}
      <button type="button" className="button quiet" onClick={() => remove(unused)}>
        {unused.reason === 'repeated' ? 'Remove the others' : 'Remove'}
      </button>
    </p>
  ));
}

function Words({ unused: { name, reason } }: { readonly unused: Unused }): ReactNode {
  const code = <code className="mono">{visible(name)}</code>;
  if (reason === 'repeated') return <>This link contains {code} several times. Only its last value is used.</>;
  if (reason === 'no start')
    return <>This link has an end of the time range ({code}) but no start, so the range is ignored.</>;
  return <>This link has a time range that this version does not support: {code}.</>;
}
