import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useFeature } from '../api/queries.ts';
import type { Environment } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import Dialog from '../parts/dialog.tsx';
import { count, counted } from '../parts/format.ts';
import { None, Time } from '../parts/small.tsx';
import { UserText, visible } from '../parts/text.tsx';
import { PolicyFrame } from './policy-frame.tsx';
import { RuleChanges } from './rule-changes.tsx';
import { useExceptions, type Exception } from './use-exceptions.ts';
import { useEnvironmentParam } from './use-policy.ts';
import { countedMonth } from './use-rules.ts';
import { TableHead } from '../parts/table-head.tsx';

const SOON_MS = 14 * 86_400_000;

export function ExceptionsPage(): ReactNode {
  const env = useEnvironmentParam();
  const isThere = useFeature('policies.exceptions');
  const exceptions = useExceptions(env);
  const [ending, setEnding] = useState<Exception | null>(null);
  return (
    <PolicyFrame title="Exceptions">
      {isThere ? (
        <Block what="exceptions" query={exceptions} height={160}>
          {(list) =>
            list.length === 0 ? (
              <Empty>There is no exception in the policy of {env}.</Empty>
            ) : (
              <Table env={env} list={list} end={setEnding} />
            )
          }
        </Block>
      ) : (
        <Empty>
          This version does not list exceptions. They are in the{' '}
          <Link to="/policies/$env/files" params={{ env }} className="link">
            files
          </Link>
          .
        </Empty>
      )}
      {ending !== null && <EndDialog env={env} exception={ending} close={() => setEnding(null)} />}
    </PolicyFrame>
  );
}

interface EndProps {
  readonly env: Environment;
  readonly exception: Exception;
  readonly close: () => void;
}

/** The effects of ending an exception, on calls that it allowed and on future calls. */
function EndDialog({ env, exception, close }: EndProps): ReactNode {
  const { id, hits_30d: hits, kept_30d: kept } = exception;
  return (
    <Dialog title={`If ${visible(id)} ended`} close={close} size={600}>
      <div className="stack">
        {hits !== null && (
          <p>
            In the last 30 days, this exception applied to {counted(hits, 'event')}.{' '}
            {hits > 0 && (
              <>
                Without the exception, {count(kept ?? 0)} of these events would have been refused or redacted.{' '}
                <Link to="/events" search={{ env, exception: id, ...countedMonth() } as never} className="link">
                  See them
                </Link>
              </>
            )}
          </p>
        )}
        <RuleChanges env={env} without={id} />
        <p className="meta">
          At a terminal: <code className="mono">weir exceptions preview {visible(id)}</code>
        </p>
      </div>
    </Dialog>
  );
}

interface TableProps {
  readonly env: Environment;
  readonly list: readonly Exception[];
  readonly end: (exception: Exception) => void;
}

function Table({ env, list, end }: TableProps): ReactNode {
  return (
    <table className="table fold">
      <TableHead
        columns={[
          'Exception',
          'Rules',
          'Effect',
          { label: 'Excepted, 30 d', className: 'num' },
          { label: 'Last used', className: 'ago' },
          'Approved by',
          'Ends',
          { label: 'Actions', hidden: true },
        ]}
      />
      <tbody>
        {list.map((each) => {
          const left = Date.parse(each.expires) - Date.now();
          return (
            <tr key={each.id} className={left < 0 ? 'over' : ''}>
              <td>
                <Link
                  to="/policies/$env/files/$"
                  params={{ env, _splat: each.path ?? '' }}
                  hash={`L${each.line ?? 1}`}
                  className="mono link"
                >
                  {visible(each.id)}
                </Link>
                <Grounds exception={each} />
              </td>
              <td className="mono">{each.rules.join(', ')}</td>
              <td>{each.effect}</td>
              <Uses env={env} exception={each} />
              <td data-label="approved by">
                <UserText text={each.approved_by} cut />
              </td>
              <td className={left < SOON_MS ? 'amber' : ''} data-label="ends">
                {left < 0 && 'rule applies since '}
                <Time at={each.expires} as="exact" />
              </td>
              <td className="acts">
                <button
                  type="button"
                  className="button"
                  aria-label={`If it ended: ${visible(each.id)}`}
                  onClick={() => end(each)}
                >
                  If it ended
                </button>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The condition and the reason of an exception. */
function Grounds({ exception: { when, because, ticket } }: { readonly exception: Exception }): ReactNode {
  return (
    <div className="meta grounds">
      <code className="mono">{when === null ? 'every call' : visible(when)}</code>
      <UserText text={`${because} (${ticket})`} />
    </div>
  );
}

/** The number of times that the exception was applied, and that it prevented an action. */
function Uses({ env, exception }: { readonly env: Environment; readonly exception: Exception }): ReactNode {
  const { id, hits_30d: hits, kept_30d: kept, last_hit: last } = exception;
  if (hits === null) {
    return (
      <>
        <td className="num" data-label="excepted">
          <None />
        </td>
        <td data-label="last">
          <None />
        </td>
      </>
    );
  }
  return (
    <>
      <td className="num" data-label="excepted">
        {hits > 0 ? (
          <Link to="/events" search={{ env, exception: id, ...countedMonth() } as never} className="link">
            {count(hits)}
          </Link>
        ) : (
          count(hits)
        )}
        {hits > 0 && <span className="dim"> ({count(kept ?? 0)} with effect)</span>}
      </td>
      <td data-label="last">{typeof last === 'string' ? <Time at={last} /> : <span className="dim">never</span>}</td>
    </>
  );
}
