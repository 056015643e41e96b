import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { get, send } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import { ENVIRONMENTS, type Data, type Token } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import Dialog from '../parts/dialog.tsx';
import { useSending } from '../parts/form.ts';
import { Icon } from '../parts/icons.tsx';
import { Field, None, Time } from '../parts/small.tsx';
import { Foreign, visible } from '../parts/text.tsx';
import { ShowSecret } from '../apps/keys.tsx';

/** What each scope lets a program do. */
const SCOPES: Readonly<Record<string, string>> = {
  'policy:read': 'Read policies and deployments',
  'policy:deploy': 'Deploy policies and roll back',
  'policy:emergency': 'Change a policy past its tests',
  'keys:admin': 'Make, rotate and delete keys',
  'events:read': 'Read events, budgets and statistics',
  'events:mark': 'Mark decisions right or wrong',
  'budgets:admin': 'Adjust budgets',
  'account:admin': 'Everything else of the account',
};

const DEFAULT_DAYS = 90;

export function Tokens(): ReactNode {
  const tokens = useQuery({ queryKey: ['tokens'], queryFn: async () => (await get<Data<Token>>('/v1/tokens')).data });
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<Token | null>(null);
  return (
    <>
      <Block
        title="Management tokens"
        aside={
          <button type="button" className="button primary" onClick={() => setCreating(true)}>
            <Icon name="plus" />
            Create a token
          </button>
        }
        what="tokens"
        query={tokens}
        height={140}
      >
        {(list) =>
          list.length === 0 ? (
            <Empty>There is no management token. Programs such as weir and CI need one.</Empty>
          ) : (
            <table className="table fold">
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">May</th>
                  <th scope="col">Environment</th>
                  <th scope="col">Last used</th>
                  <th scope="col">Expires</th>
                  <th scope="col">
                    <span className="sr">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {list.map((token) => (
                  <tr key={token.id}>
                    <td className="strong">
                      <Foreign text={token.name} cut />
                    </td>
                    <td className="mono scopes">{token.scopes.join(' ')}</td>
                    <td>{token.environment ?? <span className="dim">all</span>}</td>
                    <td data-label="used">
                      {token.last_used_at === null ? <None /> : <Time at={token.last_used_at} />}
                    </td>
                    <td data-label="expires">
                      {token.expires_at === null ? <None /> : <Time at={token.expires_at} />}
                    </td>
                    <td className="num">
                      <button
                        type="button"
                        className="button danger"
                        aria-label={`Delete ${visible(token.name)}`}
                        onClick={() => setDeleted(token)}
                      >
                        Delete
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Block>
      {isCreating && <CreateToken close={() => setCreating(false)} />}
      {deleted !== null && <DeleteToken token={deleted} close={() => setDeleted(null)} />}
    </>
  );
}

function CreateToken({ close }: { readonly close: () => void }): ReactNode {
  const me = useMe().data;
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set(['events:read']));
  const [environment, setEnvironment] = useState('');
  const [days, setDays] = useState(String(DEFAULT_DAYS));
  const [secret, setSecret] = useState<string | null>(null);
  const sending = useSending();
  const client = useQueryClient();
  const toggle = (scope: string, on: boolean): void => {
    const next = new Set(scopes);
    if (on) next.add(scope);
    else next.delete(scope);
    setScopes(next);
  };
  const create = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString();
      const made = await send<{ readonly secret: string }>('POST', '/v1/tokens', {
        name,
        scopes: [...scopes],
        expires_at: expiresAt,
        ...(environment === '' ? {} : { environment }),
      });
      setSecret(made.secret);
      void client.invalidateQueries({ queryKey: ['tokens'] });
    });
  };
  return (
    <Dialog title={secret === null ? 'Create a token' : 'Token created'} close={close} keep={secret !== null}>
      {secret !== null ? (
        <ShowSecret secret={secret} close={close} />
      ) : (
        <form className="stack" onSubmit={create}>
          <Field label="Name" problem={sending.problemOf('name')}>
            <input
              className="input"
              required
              maxLength={100}
              data-autofocus
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
          <fieldset className="choices-box">
            <legend>It may</legend>
            {(me?.scopes ?? []).map((scope) => (
              <label key={scope} className="line tight">
                <input
                  type="checkbox"
                  checked={scopes.has(scope)}
                  onChange={(event) => toggle(scope, event.target.checked)}
                />
                <span>
                  {SCOPES[scope] ?? scope} <code className="mono dim">{scope}</code>
                </span>
              </label>
            ))}
          </fieldset>
          <Field label="Environment">
            <select className="input" value={environment} onChange={(event) => setEnvironment(event.target.value)}>
              <option value="">all</option>
              {ENVIRONMENTS.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </Field>
          <Field label="Expires">
            <select className="input" value={days} onChange={(event) => setDays(event.target.value)}>
              <option value="30">in 30 days</option>
              <option value="90">in 90 days</option>
              <option value="365">in a year</option>
              <option value="">never</option>
            </select>
          </Field>
          {sending.problem !== undefined && (
            <p className="problem" role="alert">
              {sending.problem}
            </p>
          )}
          <div className="line">
            <button type="submit" className="button primary" disabled={sending.isSending || scopes.size === 0}>
              Create token
            </button>
            <button type="button" className="button" onClick={close}>
              Cancel
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

function DeleteToken({ token, close }: { readonly token: Token; readonly close: () => void }): ReactNode {
  const sending = useSending();
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const remove = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      await send('DELETE', `/v1/tokens/${token.id}`);
      await client.invalidateQueries({ queryKey: ['tokens'] });
      close();
    });
  };
  return (
    <Dialog title={`Delete ${visible(token.name)}`} close={close}>
      <form className="stack" onSubmit={remove}>
        <p>Programs that use it are refused at once.</p>
        <Field label={`Type ${visible(token.name)}`} problem={sending.problem}>
          <input
            className="input"
            autoComplete="off"
            data-autofocus
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
        <div className="line">
          <button type="submit" className="button danger" disabled={typed !== token.name || sending.isSending}>
            Delete token
          </button>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
