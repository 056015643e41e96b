/** Settings, Keys: creates, rotates and deletes keys; a secret is shown once. */
import { useState, type ReactNode } from 'react';
import { ENVIRONMENTS, type App, type Environment, type Key } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { DeleteCredential, MakeSecret, NameField, type Kind } from '../parts/credentials.tsx';
import { HistoryLink } from '../parts/history-link.tsx';
import { Icon } from '../parts/icons.tsx';
import { RowActions } from '../parts/row-actions.tsx';
import { Field, None, Time } from '../parts/small.tsx';
import { UserText, visible } from '../parts/text.tsx';
import { LAST_DAY, ofLocalInput } from '../parts/zone.ts';
import { shownKey, useAppKeys } from './use-keys.ts';
import { TableHead } from '../parts/table-head.tsx';

type Doing = { readonly kind: 'create' } | { readonly kind: 'rotate' | 'delete'; readonly key: Key } | null;

const KEY: Kind = { word: 'key', variable: 'WEIR_KEY', queryKey: 'keys' };
const UNUSED_MS = 30 * 86_400_000;

export function Keys({ app }: { readonly app: App }): ReactNode {
  const keys = useAppKeys(app.id);
  const [doing, setDoing] = useState<Doing>(null);
  const close = (): void => setDoing(null);
  return (
    <>
      <Block
        title="Keys"
        aside={
          <span className="line tight">
            <span className="wide-only">
              <HistoryLink of={keys.data?.map(({ id }) => id) ?? []}>History of the keys</HistoryLink>
            </span>
            <button type="button" className="button primary" onClick={() => setDoing({ kind: 'create' })}>
              <Icon name="plus" />
              Create a key
            </button>
          </span>
        }
        what="keys"
        query={keys}
        height={140}
      >
        {(list) =>
          list.length === 0 ? <Empty>This app has no key yet.</Empty> : <KeyTable keys={list} act={setDoing} />
        }
      </Block>
      {doing?.kind === 'create' && <CreateDialog app={app} close={close} />}
      {doing?.kind === 'rotate' && <RotateDialog app={app} apiKey={doing.key} close={close} />}
      {doing?.kind === 'delete' && <DeleteDialog app={app} apiKey={doing.key} close={close} />}
    </>
  );
}

/** The part of an e-mail address before the "@" is enough to recognise a colleague; the tooltip shows all of it. */
function Maker({ by }: { readonly by: Key['created_by'] }): ReactNode {
  if (by === null || by === undefined) return null;
  const name = by.name ?? (by.kind === 'operator' ? 'the operator' : by.kind === 'token' ? 'a token' : by.kind);
  return (
    <span className="dim by" title={visible(name)}>
      {' '}
      by <UserText text={by.kind === 'person' ? name.replace(/@.*$/, '') : name} cut />
    </span>
  );
}

function KeyTable({ keys, act }: { readonly keys: readonly Key[]; readonly act: (doing: Doing) => void }): ReactNode {
  return (
    <table className="table fold">
      <TableHead
        columns={['Name', 'Key', 'Environment', 'Created', 'Last used', 'Expires', { label: 'Actions', hidden: true }]}
      />
      <tbody>
        {keys.map((key) => {
          const since = Date.parse(key.last_used_at ?? key.created_at);
          const isUnused = Date.now() - since > UNUSED_MS;
          return (
            <tr key={key.id}>
              <td className="strong">
                <UserText text={key.name} cut />
              </td>
              <td className="mono">{shownKey(key)}</td>
              <td>{key.environment}</td>
              <td data-label="created" className="nowrap">
                <Time at={key.created_at} />
                <Maker by={key.created_by} />
              </td>
              <td data-label="used" className={isUnused ? 'nowrap amber' : 'nowrap'}>
                {key.last_used_at === null ? (
                  isUnused ? (
                    'never'
                  ) : (
                    <span className="dim">not yet</span>
                  )
                ) : (
                  <Time at={key.last_used_at} />
                )}
              </td>
              <td data-label="expires">{key.expires_at === null ? <None /> : <Time at={key.expires_at} />}</td>
              <td className="acts">
                <RowActions
                  of={key.name}
                  actions={[
                    { label: 'Rotate', act: () => act({ kind: 'rotate', key }) },
                    { label: 'Delete', isDanger: true, act: () => act({ kind: 'delete', key }) },
                  ]}
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface KeyDialogProps {
  readonly app: App;
  readonly apiKey: Key;
  readonly close: () => void;
}

function CreateDialog({ app, close }: { readonly app: App; readonly close: () => void }): ReactNode {
  const [name, setName] = useState(`${app.name}-dev`.slice(0, 100));
  const [environment, setEnvironment] = useState<Environment>('development');
  const [expires, setExpires] = useState('');
  const body = (): object => ({
    ...{ name, environment },
    // The key works until the end of the day, in the displayed time zone.
    expires_at: expires === '' ? null : ofLocalInput(`${expires}T23:59`),
  });
  return (
    <MakeSecret
      kind={KEY}
      title="Create a key"
      madeTitle="Key created"
      label="Create key"
      make={{ path: `/v1/apps/${app.id}/keys`, body }}
      close={close}
    >
      {(problemOf) => (
        <>
          <NameField value={name} change={setName} problem={problemOf('name')} />
          <Field label="Environment">
            <select
              className="input"
              value={environment}
              onChange={(event) => setEnvironment(event.target.value as Environment)}
            >
              {[...ENVIRONMENTS].reverse().map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </Field>
          {environment === 'production' && <p className="hint">Live key: production rules apply.</p>}
          <Field
            label="Expires (empty: never)"
            hint="At the end of the day, in the time zone of the page."
            problem={problemOf('expires_at')}
          >
            <input
              className="input"
              type="date"
              max={LAST_DAY}
              value={expires}
              onChange={(event) => setExpires(event.target.value)}
            />
          </Field>
        </>
      )}
    </MakeSecret>
  );
}

const DELETE_AFTER: readonly (readonly [seconds: number | null, label: string])[] = [
  [86_400, 'in 24 hours'],
  [0, 'now'],
  [3_600, 'in an hour'],
  [604_800, 'in 7 days'],
  [null, 'manually'],
];

function RotateDialog({ app, apiKey, close }: KeyDialogProps): ReactNode {
  const [after, setAfter] = useState('0');
  const body = (): object => ({ delete_old_after_seconds: (DELETE_AFTER[Number(after)] ?? [null])[0] });
  return (
    <MakeSecret
      kind={KEY}
      title={`Rotate ${visible(apiKey.name)}`}
      label="Rotate"
      make={{ path: `/v1/apps/${app.id}/keys/${apiKey.id}/rotate`, body }}
      close={close}
      beside={<OldKeyUse app={app} id={apiKey.id} />}
    >
      {() => (
        <>
          <p>A new key with the same name and environment is created. Both keys work until the old one is deleted.</p>
          <Field label="Delete the old key">
            <select className="input" data-autofocus value={after} onChange={(event) => setAfter(event.target.value)}>
              {DELETE_AFTER.map(([, label], index) => (
                <option key={label} value={index}>
                  {label}
                </option>
              ))}
            </select>
          </Field>
        </>
      )}
    </MakeSecret>
  );
}

/** The interval at which the last use of an old key is requested while its dialog is open. */
const USE_REFRESH_MS = 5_000;

/** Shows the last use of the old key, so that a user sees when it is no longer needed. */
function OldKeyUse({ app, id }: { readonly app: App; readonly id: string }): ReactNode {
  const old = useAppKeys(app.id, USE_REFRESH_MS).data?.find((key) => key.id === id);
  return (
    <p className="meta old-key">
      {old === undefined ? (
        'The old key is deleted.'
      ) : old.last_used_at === null ? (
        'The old key has not been used yet.'
      ) : (
        <>
          Old key last used <Time at={old.last_used_at} />.
        </>
      )}
    </p>
  );
}

function DeleteDialog({ app, apiKey, close }: KeyDialogProps): ReactNode {
  const { id, name, last_used_at: used } = apiKey;
  return (
    <DeleteCredential kind={KEY} name={name} path={`/v1/apps/${app.id}/keys/${id}`} close={close}>
      Programs that use it are refused within a second.{' '}
      {used === null ? (
        'It was never used.'
      ) : (
        <>
          It was last used <Time at={used} />.
        </>
      )}
    </DeleteCredential>
  );
}
