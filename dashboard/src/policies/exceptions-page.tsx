import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import type { Data } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
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
