import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import type { Data } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { count } from '../parts/format.ts';
import { None, Time } from '../parts/small.tsx';
import { Foreign, visible } from '../parts/text.tsx';
import { PolicyFrame } from './policy-frame.tsx';
import { useEnvironmentParam } from './use-policy.ts';

interface Exception {
  readonly id: string;
  readonly rules: readonly string[];
  readonly when: unknown;
  readonly effect: string;
  readonly because: string | null;
  readonly approved_by: string | null;
  readonly ticket: string | null;
  readonly expires: string | null;
  readonly state: string;
  readonly path: string;
  readonly line: number;
  /** Absent or null: this version does not count them, or they may not be seen. */
  readonly hits_30d?: number | null;
  readonly kept_30d?: number | null;
  readonly last_hit?: string | null;
}

const SOON_MS = 14 * 86_400_000;

export function ExceptionsPage(): ReactNode {
  const env = useEnvironmentParam();
  const isThere = useFeature('policies.exceptions');
  const exceptions = useQuery({
    queryKey: ['exceptions', env],
    queryFn: async () => (await get<Data<Exception>>(`/v1/policies/${env}/exceptions`)).data,
    enabled: isThere,
  });
  return (
    <PolicyFrame title="Exceptions">
      {isThere ? (
        <Block what="exceptions" query={exceptions} height={160}>
          {(list) =>
            list.length === 0 ? (
              <Empty>No exception is written into the policy of {env}.</Empty>
            ) : (
              <Table env={env} list={list} />
            )
          }
        </Block>
      ) : (
        <Empty>
          This version does not list exceptions. They stand in the{' '}
          <Link to="/policies/$env/files" params={{ env }} className="link">
            files
          </Link>
          .
        </Empty>
      )}
    </PolicyFrame>
  );
}

function Table({ env, list }: { readonly env: string; readonly list: readonly Exception[] }): ReactNode {
  return (
    <table className="table fold">
      <thead>
        <tr>
          <th scope="col">Exception</th>
          <th scope="col">Rules</th>
          <th scope="col">Effect</th>
          <th scope="col" className="num">
            Let go, 30 d
          </th>
          <th scope="col" className="ago">
            Last used
          </th>
          <th scope="col">Approved by</th>
          <th scope="col">Ends</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        {list.map((each) => {
          const left = each.expires === null ? Infinity : Date.parse(each.expires) - Date.now();
          return (
            <tr key={each.id} className={left < 0 ? 'over' : ''}>
              <td>
                <Link
                  to="/policies/$env/files/$"
                  params={{ env, _splat: each.path }}
                  hash={`L${each.line}`}
                  className="mono link"
                >
                  {visible(each.id)}
                </Link>
              </td>
              <td className="mono cut">{each.rules.join(', ')}</td>
              <td>{each.effect}</td>
              <Uses env={env} exception={each} />
              <td>{each.approved_by === null ? '–' : visible(each.approved_by)}</td>
              <td className={left < SOON_MS ? 'amber' : ''}>
                {each.expires === null ? '–' : `${left < 0 ? 'bites again since ' : ''}${each.expires.slice(0, 10)}`}
              </td>
              <td>
                {each.because === null ? (
                  ''
                ) : (
                  <Foreign text={`${each.because}${each.ticket === null ? '' : ` (${each.ticket})`}`} cut />
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** How often it let a rule go, and of these how often something would have happened. */
function Uses({ env, exception }: { readonly env: string; readonly exception: Exception }): ReactNode {
  const { id, hits_30d: hits, kept_30d: kept, last_hit: last } = exception;
  if (hits === undefined || hits === null) {
    return (
      <>
        <td className="num" data-label="let go">
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
      <td className="num" data-label="let go">
        {hits > 0 ? (
          <Link to="/events" search={{ env, range: '30d', exception: id } as never} className="link">
            {count(hits)}
          </Link>
        ) : (
          count(hits)
        )}
        {hits > 0 && <span className="dim"> ({count(kept ?? 0)} saved)</span>}
      </td>
      <td data-label="last">{typeof last === 'string' ? <Time at={last} /> : <span className="dim">never</span>}</td>
    </>
  );
}
