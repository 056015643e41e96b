/** A preview of the selected row next to the list, with the data that the list already has. */
import { Fragment, type ReactNode } from 'react';
import { duration, exactTime, money } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { OutcomeBadge, outcomeOf, strongestFirst } from '../parts/outcome.tsx';
import { Id, None } from '../parts/small.tsx';
import { UserText } from '../parts/text.tsx';
import type { ListedEvent } from './use-events.ts';

interface PeekProps {
  readonly row: ListedEvent;
  readonly open: () => void;
  readonly close: () => void;
}

export default function Peek({ row, open, close }: PeekProps): ReactNode {
  const { usage, latency_ms: ms } = row;
  const tokens = usage === null ? null : (usage.prompt_tokens ?? 0) + (usage.completion_tokens ?? 0);
  const facts: readonly (readonly [name: string, value: ReactNode])[] = [
    ['Time', exactTime(row.received_at)],
    ['App', <UserText key="app" text={row.app.name ?? row.app.id} />],
    ['Environment', row.environment],
    ['Model', orNone(row.model)],
    ['Provider', orNone(row.provider)],
    ['Session', orNone(row.session_id)],
    ['Weir', duration(ms.weir)],
    ['Total', ms.total === null ? <None key="total" /> : duration(ms.total)],
    ['Tokens', tokens === null ? <None key="tokens" /> : tokens.toLocaleString()],
    ['Cost', row.cost_nano_usd === null ? <None key="cost" /> : money(row.cost_nano_usd, 5)],
    ['Request', row.request_id === null ? <None key="request" /> : <Id key="request" id={row.request_id} />],
  ];
  return (
    <aside className="peek stack" aria-label="Selected row">
      <div className="line">
        <OutcomeBadge outcome={outcomeOf(row)} />
        <button type="button" className="button quiet icon-only push" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      {row.violations.length > 0 && (
        <ul className="plain">
          {strongestFirst(row.violations).map(({ rule }, index) => (
            <li key={`${index} ${rule}`} className="mono">
              <UserText text={rule} />
            </li>
          ))}
        </ul>
      )}
      {typeof row.excerpt === 'string' && row.excerpt !== '' && (
        <p className="prose">
          <UserText text={row.excerpt} />
        </p>
      )}
      <dl className="facts-list">
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
      <button type="button" className="button" onClick={open}>
        Open the call
      </button>
    </aside>
  );
}

function orNone(value: string | null): ReactNode {
  return value === null ? <None /> : <UserText text={value} />;
}
