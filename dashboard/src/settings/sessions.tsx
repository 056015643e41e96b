import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { get, send } from '../api/client.ts';
import type { Data, Session } from '../api/types.ts';
import { Block } from '../parts/block.tsx';
import { programOf } from '../parts/program.ts';
import { Time } from '../parts/small.tsx';
import { TableHead } from '../parts/table-head.tsx';

export function SessionList(): ReactNode {
  const client = useQueryClient();
  const sessions = useQuery({
    queryKey: ['sessions-of-person'],
    queryFn: async () => (await get<Data<Session>>('/auth/sessions')).data,
  });
  const end = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) await send('DELETE', `/auth/sessions/${id}`).catch(() => undefined);
    await client.invalidateQueries({ queryKey: ['sessions-of-person'] });
  };
  const signOut = async (): Promise<void> => {
    await send('POST', '/auth/logout', {}).catch(() => undefined);
    client.clear();
    new BroadcastChannel('weir').postMessage('signed out');
    location.assign('/auth/login');
  };
  return (
    <Block
      title="Sessions"
      aside={
        <button type="button" className="button" onClick={() => void signOut()}>
          Sign out
        </button>
      }
      what="sessions"
      query={sessions}
      height={120}
    >
      {(list) => (
        <div className="stack">
          <table className="table fold">
            <TableHead columns={['Program', 'Address', 'Last seen', 'Ends', { label: 'Actions', hidden: true }]} />
            <tbody>
              {list.map(({ id, current, from, last_seen_at: seen, expires_at: expires }) => (
                <tr key={id}>
                  <td>{programOf(from.user_agent ?? '')}</td>
                  <td className="dim">{from.address}</td>
                  <td data-label="seen">
                    <Time at={seen} />
                  </td>
                  <td data-label="ends">
                    <Time at={expires} as="table" />
                  </td>
                  <td className="acts">
                    {current ? (
                      <span className="accent">this one</span>
                    ) : (
                      <button type="button" className="button" onClick={() => void end([id])}>
                        End
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {list.length > 1 && (
            <div className="line">
              <button
                type="button"
                className="button"
                onClick={() => void end(list.filter(({ current }) => !current).map(({ id }) => id))}
              >
                End all others
              </button>
            </div>
          )}
        </div>
      )}
    </Block>
  );
}
