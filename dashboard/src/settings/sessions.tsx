import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError, get, send } from '../api/client.ts';
import type { Data, Session } from '../api/types.ts';
import { Block } from '../parts/block.tsx';
import { Problem } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { programOf } from '../parts/program.ts';
import { Time } from '../parts/small.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { signOut } from '../shell/signing-out.ts';

export function SessionList(): ReactNode {
  const client = useQueryClient();
  const sessions = useQuery({
    queryKey: ['sessions-of-person'],
    queryFn: async () => (await get<Data<Session>>('/auth/sessions')).data,
  });
  const sending = useSending();
  const end = (ids: readonly string[]): void =>
    sending.run(async () => {
      try {
        for (const id of ids) await endSession(id);
      } finally {
        // Some may have ended before the failure.
        await client.invalidateQueries({ queryKey: ['sessions-of-person'] });
      }
    });
  return (
    <>
      <Problem of={sending} />
      <Block
        title="Sessions"
        aside={
          <button type="button" className="button" disabled={sending.isSending} onClick={() => sending.run(signOut)}>
            Sign out
          </button>
        }
        what="sessions"
        query={sessions}
        height={120}
      >
        {(list) => (
          <div className="stack">
            <SessionTable list={list} isEnding={sending.isSending} end={end} />
            {list.length > 1 && (
              <div className="line">
                <button
                  type="button"
                  className="button"
                  disabled={sending.isSending}
                  onClick={() => end(list.filter(({ current }) => !current).map(({ id }) => id))}
                >
                  End all others
                </button>
              </div>
            )}
          </div>
        )}
      </Block>
    </>
  );
}

interface SessionTableProps {
  readonly list: readonly Session[];
  readonly isEnding: boolean;
  readonly end: (ids: readonly string[]) => void;
}

function SessionTable({ list, isEnding, end }: SessionTableProps): ReactNode {
  return (
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
                <span className="accent">this session</span>
              ) : (
                <button
                  type="button"
                  className="button"
                  disabled={isEnding}
                  aria-label={`End ${programOf(from.user_agent ?? '')}, ${from.address ?? 'unknown address'}`}
                  onClick={() => end([id])}
                >
                  End
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Ends another session. One that has ended meanwhile is not a failure. */
async function endSession(id: string): Promise<void> {
  try {
    await send('DELETE', `/auth/sessions/${id}`);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
}
