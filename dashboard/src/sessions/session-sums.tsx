/** The totals above the calls of a session. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.ts';
import { counted, duration, money, unpricedWords } from '../parts/format.ts';
import { Time } from '../parts/small.tsx';
import { UserText, visible } from '../parts/text.tsx';
import { inEnvironment, linkedEnvironment } from '../shell/page-environment.ts';
import type { SessionSums } from './use-session.ts';

type Row = Schemas['CallSession'];

export function Sums({ sums: { rows, hasFailed, again } }: { readonly sums: SessionSums }): ReactNode {
  return (
    <div className="toolbar session-sums meta tab-nums">
      {rows?.map((row) => (
        <SumsOf key={`${row.app.id} ${row.environment}`} row={row} />
      ))}
      {hasFailed && (
        <span role="alert">
          The totals could not be loaded.{' '}
          <button type="button" className="plain link" onClick={again}>
            Try again
          </button>
        </span>
      )}
    </div>
  );
}

function SumsOf({ row }: { readonly row: Row }): ReactNode {
  const { weir_ms: weirMs } = row;
  return (
    <span>
      <UserText text={row.app.name ?? row.app.id} /> · {row.environment} · <Time at={row.first_at} as="table" /> to{' '}
      <Time at={row.last_at} as="table" /> · {counted(row.calls, 'call')}, {counted(row.tool_calls, 'tool call')} ·{' '}
      {counted(Number(row.tokens), 'token')} · {costWords(row)}
      {typeof weirMs === 'number' && ` · Weir added ${duration(weirMs)}`}
      <Fired row={row} />
    </span>
  );
}

/** The number of rules that are named. */
const NAMED = 3;

/** The rules that fired: each leads to its page, and those that are not named to their calls. */
function Fired({
  row: { rules, app, environment, session_id: session, first_at: from },
}: {
  readonly row: Row;
}): ReactNode {
  if (rules === undefined || rules === null) return null;
  if (rules.length === 0) return ' · no rule fired';
  const others = rules.slice(NAMED);
  const env = linkedEnvironment(environment);
  return (
    <>
      {` · ${counted(rules.length, 'rule')} fired: `}
      {rules.slice(0, NAMED).map((rule, index) => (
        <span key={rule}>
          {index > 0 && ', '}
          <Link
            to="/policies/$env/rules/$rule"
            params={{ env: environment, rule }}
            search={inEnvironment(environment)}
            className="link mono"
          >
            {visible(rule)}
          </Link>
        </span>
      ))}
      {others.length > 0 && (
        <>
          {' '}
          and{' '}
          <Link
            to="/events"
            search={
              { env, session, app: app.id, rule: others.join(','), range: undefined, from, to: undefined } as never
            }
            className="link"
          >
            {others.length} more
          </Link>
        </>
      )}
    </>
  );
}

/** The cost of a session, or how many of its calls have none. */
function costWords({ cost_nano_usd: nano, without_price: withoutPrice }: Row): string {
  const unpriced = unpricedWords(withoutPrice);
  if (unpriced === '') return money(nano, 5);
  return BigInt(nano) === 0n ? unpriced : `${money(nano, 5)} (${unpriced})`;
}
