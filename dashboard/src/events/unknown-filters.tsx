/** Parameters of a link that may be filters of another version: they are reported, never ignored without a notice. */
import type { ReactNode } from 'react';
import { focusPage } from '../parts/focus.ts';
import { visible } from '../parts/visible.ts';
import { useSetSearch } from '../shell/view.ts';

interface UnknownFiltersProps {
  readonly names: readonly string[];
}

export function UnknownFilters({ names }: UnknownFiltersProps): ReactNode {
  const setSearch = useSetSearch();
  return names.map((name) => (
    <p key={name} className="notice amber">
      This link has a filter that this version does not support: <code className="mono">{visible(name)}</code>.{' '}
      <button
        type="button"
        className="button quiet"
        onClick={() => {
          focusPage();
          setSearch({ [name]: undefined });
        }}
      >
        Remove
      </button>
    </p>
  ));
}
