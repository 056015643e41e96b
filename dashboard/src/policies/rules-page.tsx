import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Schemas } from '../api/client.ts';
import { isSettled, useFeature } from '../api/queries.ts';
import type { Environment } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { count, counted } from '../parts/format.ts';
import { ActionBadge } from '../parts/outcome.tsx';
import { SearchField, None, Segments, Sparkline, Time } from '../parts/small.tsx';
import { FileList } from './files-page.tsx';
import { TableHead, type Column } from '../parts/table-head.tsx';
import { useSearchParams, useSetSearch } from '../shell/view.ts';
import { PolicyFrame } from './policy-frame.tsx';
import { useActive, useEnvironmentParam } from './use-policy.ts';
import { lastDays, useRules, useRuleStats, type Rule } from './use-rules.ts';

export function RulesPage(): ReactNode {
  const env = useEnvironmentParam();
  const active = useActive(env);
  const hasRules = useFeature('policies.rules');
  const rules = useRules(env, active.data?.digest);
  const hasStats = useFeature('policies.rule_stats');
  const stats = useRuleStats(env);
  // The table waits for the hits: if they arrived later, they would shift the other columns.
  const table = { ...rules, data: hasStats && !isSettled(stats) ? undefined : rules.data };
  return (
    <PolicyFrame title="Rules">
      {hasRules ? (
        <Block what="the rules" query={table} height={320}>
          {(found) => <RuleTable env={env} rules={found.rules} />}
        </Block>
      ) : (
        <FileList env={env} />
      )}
    </PolicyFrame>
  );
}

type Kind = 'all' | 'silent' | 'overdue';
const UNCOUNTED: readonly (readonly [Kind, string])[] = [
  ['all', 'All'],
  ['overdue', 'Past review'],
];
const KINDS: typeof UNCOUNTED = [UNCOUNTED[0]!, ['silent', 'No hit in 90 d'], UNCOUNTED[1]!];
const QUARTER = lastDays(90);

const COLUMNS: readonly Column[] = ['Rule', 'Stage', 'Action', 'Mode'];
const COLUMNS_OF_STATS: readonly Column[] = [
  { label: 'Hits, 30 d', className: 'num' },
  { label: 'Hits over time', hidden: true },
  { label: 'Excepted', className: 'num' },
  { label: 'Last hit', className: 'ago' },
  'Marked wrong',
];
const LAST_COLUMNS: readonly Column[] = [{ label: 'Tests', className: 'num' }, 'Owner'];

interface RuleTableProps {
  readonly env: Environment;
  readonly rules: readonly Rule[];
}

function RuleTable({ env, rules }: RuleTableProps): ReactNode {
  const { find, show } = useSearchParams();
  const setSearch = useSetSearch();
  // The address follows the field, so that the selection is still there after a rule was opened.
  const [text, setText] = useState(find ?? '');
  const hasStats = useFeature('policies.rule_stats');
  const { data: stats, error: lost } = useRuleStats(env);
  const kinds = hasStats ? KINDS : UNCOUNTED;
  const [kind] = kinds.find(([each]) => each === show) ?? UNCOUNTED[0]!;
  const today = new Date().toISOString().slice(0, 10);
  const { long, isOfKind } = useKind(env, kind, today);
  const shown = rules.filter(
    (rule) => isOfKind(rule) && `${rule.id} ${rule.title ?? ''}`.toLowerCase().includes(text.toLowerCase()),
  );
  if (rules.length === 0) return <Empty>This policy has no rules.</Empty>;
  return (
    <div className="stack">
      <div className="line">
        <SearchField
          label="Find a rule"
          value={text}
          change={(typed) => {
            setText(typed);
            setSearch({ find: typed === '' ? undefined : typed }, true);
          }}
        />
        <Segments
          label="Which rules"
          value={kind}
          options={kinds}
          onChange={(chosen) => setSearch({ show: chosen === 'all' ? undefined : chosen }, true)}
        />
        <span className="meta" role="status">
          {shown.length === rules.length
            ? counted(rules.length, 'rule')
            : `${shown.length} of ${counted(rules.length, 'rule')}`}
        </span>
        {hasStats && (stats === undefined || long.data === undefined) && (lost ?? long.error) !== null && (
          <span className="meta" role="alert">
            Hits could not be loaded.
          </span>
        )}
      </div>
      <table className="table fold">
        <TableHead columns={[...COLUMNS, ...(hasStats ? COLUMNS_OF_STATS : []), ...LAST_COLUMNS]} />
        <tbody>
          {shown.map((rule) => (
            <RuleRow key={rule.id} env={env} rule={rule} stats={stats} hasStats={hasStats} today={today} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const isOverdue = ({ review_by: review }: Rule, today: string): boolean => review !== null && review < today;

/** Whether a rule is of the chosen kind, and the hits of a quarter, which are only asked for if the kind depends on them. */
function useKind(env: Environment, kind: Kind, today: string) {
  // Until they are asked for, these are the figures that the table shows.
  const long = useRuleStats(env, kind === 'silent' ? QUARTER : undefined);
  const fired = new Set(long.data?.flatMap(({ rule, hits }) => (hits > 0 ? [rule] : [])));
  const isOfKind = (rule: Rule): boolean => {
    if (kind === 'silent') return long.data !== undefined && !long.isPlaceholderData && !fired.has(rule.id);
    return kind === 'all' || isOverdue(rule, today);
  };
  return { long, isOfKind };
}

type RuleStats = Schemas['RuleStats']['data'];

interface RuleRowProps {
  readonly env: Environment;
  readonly rule: Rule;
  /** The figures of all rules; undefined: not loaded. */
  readonly stats: RuleStats | undefined;
  /** Whether this version of the service counts hits. */
  readonly hasStats: boolean;
  /** The current date, in UTC: `2026-11-22`. */
  readonly today: string;
}

function RuleRow({ env, rule, stats, hasStats, today }: RuleRowProps): ReactNode {
  return (
    <tr className="go">
      <td>
        <Link to="/policies/$env/rules/$rule" params={{ env, rule: rule.id }} className="mono">
          {rule.id}
        </Link>
      </td>
      <td className="dim">{rule.stage}</td>
      <td>
        <ActionBadge action={rule.action} would={rule.mode === 'monitor'} />
      </td>
      <td>{rule.mode}</td>
      {hasStats && <StatsCells found={stats?.find((each) => each.rule === rule.id)} areLoaded={stats !== undefined} />}
      <td className="num" data-label="tests">
        {rule.tests ?? <None />}
      </td>
      <td className="cut">
        {rule.owner ?? <None />}
        {isOverdue(rule, today) && <span className="amber"> review was due {rule.review_by}</span>}
      </td>
    </tr>
  );
}

interface StatsCellsProps {
  /** The figures of the rule; undefined: not loaded, or the rule has none. */
  readonly found: RuleStats[number] | undefined;
  readonly areLoaded: boolean;
}

/** The cells with the hits and marks of a rule. */
function StatsCells({ found, areLoaded }: StatsCellsProps): ReactNode {
  const wrong = found?.marks?.wrong ?? 0;
  const marked = (found?.marks?.right ?? 0) + wrong;
  return (
    <>
      <td className="num" data-label="hits">
        {areLoaded ? count(found?.hits ?? 0) : <None />}
      </td>
      <td className="wide-only">
        <Sparkline values={found?.spark ?? []} />
      </td>
      <td className={`num dim${(found?.excepted ?? 0) === 0 ? ' wide-only' : ''}`} data-label="excepted">
        {found?.excepted === undefined ? <None /> : count(found.excepted)}
      </td>
      <td data-label="last">{typeof found?.last_hit !== 'string' ? <None /> : <Time at={found.last_hit} />}</td>
      <td data-label="marked wrong" className={wrong > 0 ? 'amber' : 'dim'}>
        {marked === 0 ? <None /> : `${wrong} of ${marked}`}
      </td>
    </>
  );
}
