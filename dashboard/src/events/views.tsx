/** Saved filters: those that come with Weir, and a person's own if the service stores them. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState, type FormEvent, type ReactNode } from 'react';
import { send } from '../api/client.ts';
import { useFeature, useMe } from '../api/queries.ts';
import type { SavedView } from '../api/types.ts';
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

type Show = (wanted: Search) => void;

export function Views({ builtIn }: ViewsProps): ReactNode {
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const { data: saved, error, refetch } = useSavedViews();
  const filters = queryOf(filtersOf(search).known);
  const show: Show = (wanted) =>
    setSearch({ ...Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])), ...wanted });
  const isShown = (wanted: Search): boolean => isSameSelection(filters, wanted);
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
      {saved === undefined && error !== null && (
        <button type="button" className="quiet" onClick={() => void refetch()}>
          Saved views could not be loaded: try again
        </button>
      )}
      <Actions filters={filters} shown={saved?.filter(({ query }) => isShown(parseSearch(query))) ?? []} show={show} />
    </div>
  );
}

interface ActionsProps {
  readonly filters: Readonly<Record<string, string>>;
  /** The saved views with the shown filters. */
  readonly shown: readonly SavedView[];
  readonly show: Show;
}

function Actions({ filters, shown, show }: ActionsProps): ReactNode {
  const isKept = useFeature('views');
  const [isSaving, setSaving] = useState(false);
  const person = useMe().data?.person?.id;
  const own = shown.find(({ by }) => by.id === person);
  return (
    <>
      <Pin view={shown[0]} />
      <Deletion own={own} show={show} />
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
    </>
  );
}

function Pin({ view }: { readonly view: SavedView | undefined }): ReactNode {
  const pins = usePins();
  const isPinned = pins.some(({ id }) => id === view?.id);
  if (view === undefined || (!isPinned && pins.length >= MOST_PINS)) return null;
  return (
    <button type="button" className="quiet" aria-pressed={isPinned} onClick={() => setPinned(view.id, !isPinned)}>
      {isPinned ? 'Pinned' : 'Pin'}
    </button>
  );
}

interface DeletionProps {
  /** The shown view, if the person has saved it. */
  readonly own: SavedView | undefined;
  readonly show: Show;
}

/** Deletes a view at once, and can save it again under its name: colleagues may use a shared one. */
function Deletion({ own, show }: DeletionProps): ReactNode {
  const [deleted, setDeleted] = useState<SavedView | null>(null);
  const client = useQueryClient();
  const reload = (): Promise<void> => client.invalidateQueries({ queryKey: ['views'] });
  const remove = useMutation({
    mutationFn: ({ id }: SavedView) => send('DELETE', `/v1/views/${id}`),
    onSuccess: async (_answer, view) => {
      await reload();
      setDeleted(view);
      show({});
    },
  });
  const restore = useMutation({
    mutationFn: ({ page, name, query, shared }: SavedView) => send('POST', '/v1/views', { page, name, query, shared }),
    onSuccess: async (_answer, { query }) => {
      await reload();
      setDeleted(null);
      show(parseSearch(query));
    },
  });
  return (
    <>
      {own !== undefined && (
        <button type="button" className="quiet" disabled={remove.isPending} onClick={() => remove.mutate(own)}>
          {remove.error === null ? 'Delete view' : 'Delete view: the deletion failed, try again'}
        </button>
      )}
      {deleted !== null && (
        <button
          type="button"
          className="quiet"
          // It takes the focus of the button that has left the page.
          autoFocus
          disabled={restore.isPending}
          onClick={() => restore.mutate(deleted)}
        >
          {restore.error === null ? 'Undo the deletion' : 'Undo the deletion: it failed, try again'}
        </button>
      )}
    </>
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
