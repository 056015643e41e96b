/** The limits of an app: the active ones, their current use, and lower limits set by the account. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { get, send } from '../api/client.ts';
import type { App, AppDetail } from '../api/types.ts';
import { Block } from '../parts/block.tsx';
import { count, counted } from '../parts/format.ts';
import { useSending } from '../parts/form.ts';
import { None, Time } from '../parts/small.tsx';
import { TableHead } from '../parts/table-head.tsx';

const SURFACES = { events: 'Submitted events', proxy: 'Proxied calls' } as const;
type Surface = keyof typeof SURFACES;
/** Limits are set for two entry points; checks before calls are counted separately, with the limit of proxied calls. */
const COUNTED = { ...SURFACES, calls: 'Checks before calls' } as const;
type Counted = keyof typeof COUNTED;
const USE_REFRESH_MS = 5_000;

export function Limits({ app }: { readonly app: App }): ReactNode {
  const key = ['app', app.id];
  const detail = useQuery({
    queryKey: key,
    queryFn: () => get<AppDetail>(`/v1/apps/${app.id}`, {}, { background: true }),
    refetchInterval: USE_REFRESH_MS,
  });
  return (
    <Block what="the limits" query={detail} height={220}>
      {(found) => (
        <div className="stack wide form">
          <table className="table fold">
            <TableHead columns={['Calls', 'Limit in force', { label: 'Used now', className: 'num' }]} />
            <tbody>
              {(Object.keys(COUNTED) as Counted[]).map((surface) => (
                <Use key={surface} surface={surface} detail={found} />
              ))}
            </tbody>
          </table>
          <p className="hint">
            {found.usage.counted_by === 'all_replicas'
              ? 'Counted by all replicas together.'
              : 'Each replica counts separately; this is the count of one replica.'}{' '}
            {found.calls_24h !== null && <>{counted(found.calls_24h, 'call')} in 24 hours. </>}
            {found.last_event_at !== null && (
              <>
                Last event <Time at={found.last_event_at} />.
              </>
            )}
          </p>
          <LimitsForm key={JSON.stringify(found.limits)} detail={found} queryKey={key} />
        </div>
      )}
    </Block>
  );
}

function Use({ surface, detail }: { readonly surface: Counted; readonly detail: AppDetail }): ReactNode {
  const use = detail.usage[surface];
  const own = detail.limits?.[surface === 'calls' ? 'proxy' : surface] ?? null;
  return (
    <tr>
      <td>{COUNTED[surface]}</td>
      <td>
        {use === null ? (
          'none'
        ) : (
          <>
            {count(use.count)} in {count(use.seconds)} s{' '}
            <span className="dim">{own === null ? 'the operator’s' : 'of this app'}</span>
          </>
        )}
      </td>
      <td className="num">{use === null ? <None /> : `${count(use.used)} of ${count(use.count)}`}</td>
    </tr>
  );
}

interface LimitsFormProps {
  readonly detail: AppDetail;
  readonly queryKey: readonly string[];
}

function LimitsForm({ detail, queryKey }: LimitsFormProps): ReactNode {
  const [texts, setTexts] = useState(() => ({
    events: textsOf(detail.limits?.events),
    proxy: textsOf(detail.limits?.proxy),
  }));
  const sending = useSending();
  const client = useQueryClient();
  const save = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      const limits = { events: limitOf(texts.events), proxy: limitOf(texts.proxy) };
      const changed = await send<AppDetail>('PATCH', `/v1/apps/${detail.id}`, { limits });
      client.setQueryData(queryKey, changed);
    });
  };
  const set = (surface: Surface, change: Partial<LimitTexts>): void =>
    setTexts((before) => ({ ...before, [surface]: { ...before[surface], ...change } }));
  return (
    <form className="stack" onSubmit={save}>
      <h2>Limits of this app</h2>
      <p className="prose">
        These limits can only be stricter than the limits of the operator. Leave both fields empty to use the limits of
        the operator.
      </p>
      {(Object.keys(SURFACES) as Surface[]).map((surface) => (
        <div key={surface} className="field" role="group" aria-label={SURFACES[surface]}>
          <span>{SURFACES[surface]}</span>
          <div className="line">
            <Whole
              label={`${SURFACES[surface]}: calls`}
              value={texts[surface].count}
              isNeeded={texts[surface].seconds !== ''}
              onChange={(text) => set(surface, { count: text })}
            />
            <span>calls in</span>
            <Whole
              label={`${SURFACES[surface]}: seconds`}
              value={texts[surface].seconds}
              isNeeded={texts[surface].count !== ''}
              onChange={(text) => set(surface, { seconds: text })}
            />
            <span>s</span>
          </div>
          <Problem
            text={sending.problemOf(`limits.${surface}.count`) ?? sending.problemOf(`limits.${surface}.seconds`)}
          />
        </div>
      ))}
      {sending.problem !== undefined && !sending.problem.includes('limits.') && <Problem text={sending.problem} />}
      <div className="line">
        <button type="submit" className="button primary" disabled={sending.isSending}>
          Save
        </button>
      </div>
    </form>
  );
}

function Problem({ text }: { readonly text: string | undefined }): ReactNode {
  if (text === undefined) return null;
  return (
    <small className="problem" role="alert">
      {text}
    </small>
  );
}

interface WholeProps {
  readonly label: string;
  readonly value: string;
  /** Whether the other field of the limit has a value. */
  readonly isNeeded: boolean;
  readonly onChange: (text: string) => void;
}

function Whole({ label, value, isNeeded, onChange }: WholeProps): ReactNode {
  return (
    <input
      className="input small tab-nums"
      aria-label={label}
      inputMode="numeric"
      pattern="[1-9][0-9]{0,6}"
      size={8}
      required={isNeeded}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

interface LimitTexts {
  readonly count: string;
  readonly seconds: string;
}

function textsOf(limit: { readonly count: number; readonly seconds: number } | null | undefined): LimitTexts {
  return { count: String(limit?.count ?? ''), seconds: String(limit?.seconds ?? '') };
}

function limitOf({ count: calls, seconds }: LimitTexts): { count: number; seconds: number } | null {
  return calls === '' ? null : { count: Number(calls), seconds: Number(seconds) };
}
