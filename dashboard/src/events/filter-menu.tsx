/** The button that adds a filter. Its dialog is loaded when it is opened first. */
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Icon } from '../parts/icons.tsx';

const FilterDialog = lazy(() => import('./filter-dialog.tsx'));

export function FilterMenu(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" data-add-filter="" onClick={() => setOpen(true)}>
        <Icon name="plus" />
        Filter
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <FilterDialog close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
