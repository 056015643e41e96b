import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { get } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import { ENVIRONMENTS, type Data, type Token } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { DeleteCredential, MakeSecret, NameField, type Kind } from '../parts/credentials.tsx';
import { HistoryLink } from '../parts/history-link.tsx';
import { Icon } from '../parts/icons.tsx';
import { DeleteButton, Field, None, Time } from '../parts/small.tsx';
import { UserText } from '../parts/text.tsx';
import { TableHead } from '../parts/table-head.tsx';

/** The rights that each scope grants. */
const SCOPES: Readonly<Record<string, string>> = {
  'policy:read': 'Read policies and deployments',
  'policy:deploy': 'Deploy policies',
  'policy:rollback': 'Roll policies back',
  'policy:emergency': 'Change a policy in an emergency, without its tests',
  'keys:admin': 'Create, rotate and delete keys',
  'events:read': 'Read events, budgets and statistics',
  'events:mark': 'Mark decisions right or wrong',
  'events:erase': 'Erase people from recorded calls',
  'budgets:admin': 'Adjust budgets',
  'account:admin': 'Manage everything else in the account',
};

const TOKEN: Kind = { word: 'token', variable: 'WEIR_TOKEN', queryKey: 'tokens' };
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
          <span className="line tight">
            <span className="wide-only">
              <HistoryLink of={tokens.data?.map(({ id }) => id) ?? []}>History of the tokens</HistoryLink>
            </span>
            <button type="button" className="button primary" onClick={() => setCreating(true)}>
              <Icon name="plus" />
              Create a token
            </button>
          </span>
        }
        what="tokens"
        query={tokens}
        height={140}
      >
        {(list) =>
          list.length === 0 ? (
            <Empty>There is no management token. Programs such as weir and CI need one.</Empty>
          ) : (
            <TokenTable list={list} remove={setDeleted} />
          )
        }
      </Block>
      {isCreating && <CreateToken close={() => setCreating(false)} />}
      {deleted !== null && <DeleteToken token={deleted} close={() => setDeleted(null)} />}
    </>
  );
}

interface TokenTableProps {
  readonly list: readonly Token[];
  readonly remove: (token: Token) => void;
}

function TokenTable({ list, remove }: TokenTableProps): ReactNode {
  return (
    <table className="table fold">
      <TableHead
        columns={['Name', 'Scopes', 'Environment', 'Last used', 'Expires', { label: 'Actions', hidden: true }]}
      />
      <tbody>
        {list.map((token) => (
          <tr key={token.id}>
            <td className="strong">
              <UserText text={token.name} cut />
            </td>
            <td className="scopes">
              <Scopes scopes={token.scopes} />
            </td>
            <td>{token.environment ?? <span className="dim">all</span>}</td>
            <td data-label="used">{token.last_used_at === null ? <None /> : <Time at={token.last_used_at} />}</td>
            <td data-label="expires">{token.expires_at === null ? <None /> : <Time at={token.expires_at} />}</td>
            <td className="acts">
              <DeleteButton name={token.name} act={() => remove(token)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The scopes in words; the tooltip has the names that programs use. */
function Scopes({ scopes }: { readonly scopes: readonly string[] }): ReactNode {
  return (
    <ul>
      {scopes.map((scope) => (
        <li key={scope} title={scope}>
          {SCOPES[scope] ?? <code className="mono">{scope}</code>}
        </li>
      ))}
    </ul>
  );
}

function CreateToken({ close }: { readonly close: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set(['events:read']));
  const [environment, setEnvironment] = useState('');
  const [days, setDays] = useState(String(DEFAULT_DAYS));
  const body = (): object => ({
    ...{ name, scopes: [...scopes] },
    expires_at: days === '' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString(),
    ...(environment === '' ? {} : { environment }),
  });
  return (
    <MakeSecret
      kind={TOKEN}
      title="Create a token"
      madeTitle="Token created"
      label="Create token"
      isReady={scopes.size > 0}
      make={{ path: '/v1/tokens', body }}
      close={close}
    >
      {(problemOf) => (
        <>
          <NameField value={name} change={setName} problem={problemOf('name')} />
          <ScopeChoices chosen={scopes} change={setScopes} />
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
        </>
      )}
    </MakeSecret>
  );
}

interface ScopeChoicesProps {
  readonly chosen: ReadonlySet<string>;
  readonly change: (chosen: ReadonlySet<string>) => void;
}

/** The scopes that a token can have: those of the person who creates it. */
function ScopeChoices({ chosen, change }: ScopeChoicesProps): ReactNode {
  const me = useMe().data;
  const toggle = (scope: string, on: boolean): void => {
    const next = new Set(chosen);
    if (on) next.add(scope);
    else next.delete(scope);
    change(next);
  };
  return (
    <fieldset className="choices-box">
      <legend>Scopes</legend>
      {(me?.scopes ?? []).map((scope) => (
        <label key={scope} className="line tight">
          <input
            type="checkbox"
            checked={chosen.has(scope)}
            onChange={(event) => toggle(scope, event.target.checked)}
          />
          <span>
            {SCOPES[scope] ?? scope} <code className="mono dim">{scope}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function DeleteToken({ token, close }: { readonly token: Token; readonly close: () => void }): ReactNode {
  return (
    <DeleteCredential kind={TOKEN} name={token.name} path={`/v1/tokens/${token.id}`} close={close}>
      Programs that use it are refused immediately.
    </DeleteCredential>
  );
}
