/** Rules that differ between two deployments, and whether they became stricter or weaker. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { get, type Schemas } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import type { Environment } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { visible } from '../parts/text.tsx';

type PolicyDiff = Schemas['PolicyDiff'];

type Compared =
  | { readonly from: number; readonly to: number }
  /** Compares the active policy of this environment with that of another environment. */
  | { readonly than: Environment }
  /** Compares the active policy with the same policy without an exception. */
  | { readonly without: string };

type ChangesProps = Compared & { readonly env: Environment };

const EFFECTS: Readonly<Record<PolicyDiff['rules'][number]['effect'], string>> = {
  stricter: 'stricter',
  weaker: 'weaker',
  same: 'every call is judged as before',
  unknown: 'effect unknown',
};

export function RuleChanges({ env, ...compared }: ChangesProps): ReactNode {
  const isThere = useFeature('policies.diff');
  const query = 'than' in compared ? { to_environment: compared.than } : compared;
  const diff = useQuery({
    queryKey: ['diff', env, query],
    queryFn: () => get<PolicyDiff>(`/v1/policies/${env}/diff`, query),
    enabled: isThere,
    // Deployments never change; the active policy does.
    staleTime: 'from' in compared ? Infinity : 15_000,
  });
  if (!isThere) return null;
  return (
    <Block what="the changed rules" query={diff} height={80}>
      {(found) => <Changes {...found} />}
    </Block>
  );
}

function Changes({ rules, others, complete }: PolicyDiff): ReactNode {
  const of = (effect: string): number => rules.filter((rule) => rule.effect === effect).length;
  if (rules.length + others.length === 0) return <Empty>No rule differs.</Empty>;
  return (
    <div className="stack">
      <p>
        {rules.length} {rules.length === 1 ? 'rule' : 'rules'} changed: {of('stricter')} stricter,{' '}
        <span className={of('weaker') > 0 ? 'amber' : ''}>{of('weaker')} weaker</span>, {of('same')} without effect
        {of('unknown') > 0 ? `, ${of('unknown')} unknown` : ''}.
        {!complete && <span className="dim"> There were too many combinations to try all of them.</span>}
      </p>
      <ul className="tree">
        {rules.map((rule) => (
          <ChangedRule key={rule.id} rule={rule} />
        ))}
        {others.map((other) => (
          <OtherChange key={`${other.what} ${other.id}`} change={other} />
        ))}
      </ul>
    </div>
  );
}

function ChangedRule({ rule }: { readonly rule: PolicyDiff['rules'][number] }): ReactNode {
  const { id, change, effect, fields, witness } = rule;
  return (
    <li>
      <p className="line">
        <span className="mono">{id}</span>
        <span className={effect === 'weaker' ? 'amber' : 'meta'}>
          {change}, {EFFECTS[effect]}
        </span>
      </p>
      {fields.map(({ path, before, after }) => (
        <p key={path} className="meta mono">
          {path}: {visible(JSON.stringify(before) ?? '–')} → {visible(JSON.stringify(after) ?? '–')}
        </p>
      ))}
      {witness.slice(0, 1).map(({ when, before, after }) => (
        <p key={when} className="meta">
          For example <code className="mono">{visible(when)}</code>: {before} → {after}
        </p>
      ))}
    </li>
  );
}

/** A change of anything but a rule, such as a list or a budget. */
function OtherChange({ change: other }: { readonly change: PolicyDiff['others'][number] }): ReactNode {
  const { what, id, change, details, weaker } = other;
  return (
    <li>
      <p className="line">
        <span>
          {what} <span className="mono">{visible(id)}</span>
        </span>
        <span className={weaker ? 'amber' : 'meta'}>
          {change}
          {weaker && ', weaker'}
        </span>
      </p>
      {details.map((detail) => (
        <p key={detail} className="meta">
          {visible(detail)}
        </p>
      ))}
    </li>
  );
}
