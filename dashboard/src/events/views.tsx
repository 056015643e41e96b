/** Saved filters: those that come with Weir, and a person's own if the service stores them. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState, type FormEvent, type ReactNode } from 'react';
import { send } from '../api/client.ts';
import { useFeature, useMe } from '../api/queries.ts';
import { FormEnd } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { Field } from '../parts/small.tsx';
import { UserText } from '../parts/text.tsx';
import { MOST_PINS, setPinned, usePins, useSavedViews } from '../shell/pins.ts';
import { parseSearch, stringifySearch, useSearchParams, useSetSearch, type Search } from '../shell/view.ts';
import { filtersOf, isSameSelection, queryOf } from './filters.ts';

const Dialog = lazy(() => import('../parts/dialog.tsx'));

interface ViewsProps {
  readonly builtIn: readonly (readonly [label: string, change: Search])[];
}

export function Views({ builtIn }: ViewsProps): ReactNode {
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const isKept = useFeature('views');
  const [isSaving, setSaving] = useState(false);
  const views = useSavedViews();
  const saved = views.data;
  const pins = usePins();
  const filters = queryOf(filtersOf(search).known);
  const show = (wanted: Search): void =>
    setSearch({ ...Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])), ...wanted });
  const isShown = (wanted: Search): boolean => isSameSelection(filters, wanted);
  const me = useMe().data;
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: (id: string) => send('DELETE', `/v1/views/${id}`),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['views'] });
      show({});
    },
  });
  const shown = saved?.find(({ query }) => isShown(parseSearch(query)));
  const isPinned = pins.some(({ id }) => id === shown?.id);
  const own = saved?.find(({ query, by }) => isShown(parseSearch(query)) && by.id === me?.person?.id);
  return (
    <div className="views" role="group" aria-label="Views">
      {builtIn.map(([label, wanted]) => (
        <button key={label} type="button" aria-pressed={isShown(wanted)} onClick={() => show(wanted)}>
          {label}
        </button>
      ))}
      {saved?.map(({ id, name, query }) => (
        <button
          key={id}
          type="button"
          aria-pressed={isShown(parseSearch(query))}
          onClick={() => show(parseSearch(query))}
        >
          <UserText text={name} />
        </button>
      ))}
      {saved === undefined && views.error !== null && (
        <button type="button" className="quiet" onClick={() => void views.refetch()}>
          Saved views could not be loaded: try again
        </button>
      )}
      {shown !== undefined && (isPinned || pins.length < MOST_PINS) && (
        <button type="button" className="quiet" aria-pressed={isPinned} onClick={() => setPinned(shown.id, !isPinned)}>
          {isPinned ? 'Pinned' : 'Pin'}
        </button>
      )}
      {own !== undefined && (
        <button type="button" className="quiet" disabled={remove.isPending} onClick={() => remove.mutate(own.id)}>
          {remove.error === null ? 'Delete view' : 'Delete view: the deletion failed, try again'}
        </button>
      )}
      {isKept && Object.keys(filters).length > 0 && own === undefined && (
        <button type="button" className="quiet" onClick={() => setSaving(true)}>
          Save view
        </button>
      )}
      {isSaving && (
        <Suspense fallback={null}>
          <SaveDialog query={stringifySearch(filters).slice(1)} close={() => setSaving(false)} />
        </Suspense>
      )}
    </div>
  );
}

function SaveDialog({ query, close }: { readonly query: string; readonly close: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const sending = useSending();
  const client = useQueryClient();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      await send('POST', '/v1/views', { page: 'events', name, query, shared: isShared });
      void client.invalidateQueries({ queryKey: ['views'] });
      close();
    });
  };
  return (
    <Dialog title="Save view" close={close} size={360}>
      <form className="stack" onSubmit={submit}>
        <Field label="Name" problem={sending.problemOf('name')}>
          <input
            className="input"
            required
            maxLength={80}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <label className="line tight">
          <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.target.checked)} />
          Share with everybody in the account
        </label>
        <FormEnd sending={sending} label="Save" close={close} />
      </form>
    </Dialog>
  );
}
