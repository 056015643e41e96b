/**
 * The first page: traffic, outcomes, and a list of entries that need attention. It shows at most seven entries, the worst
 * first.
 */

/** Entries that need attention: at most seven, the worst first. "Not now" hides an entry for a day. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { send } from '../api/client.ts';
import { useApps, usePolled } from '../api/queries.ts';
import type { AttentionList } from '../api/types.ts';
import { Block, Empty, failureWords } from '../parts/block.tsx';
import { focusPageIfLost } from '../parts/focus.ts';
import { clock, count } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Time } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { pathTarget } from '../shell/path-target.ts';
import { useView } from '../shell/view.ts';

type AttentionItem = AttentionList['data'][number];
type Args = AttentionItem['text_args'];
const arg = (args: Args, name: string): string => visible(String(args[name] ?? ''));

const times = (value: Args[string] | undefined): string =>
  Number(value) === 1 ? 'once' : `${count(Number(value))} times`;
/** Replaces the ids of apps with their names. */
function named(args: Args, nameOf: (app: string) => string | undefined): Args {
  const { scope } = args;
  if (typeof scope !== 'string') return args;
  return {
    ...args,
    scope: scope.replace(/(?<=^|, )app=([\da-f-]{36})/, (all, id: string) => `app ${nameOf(id) ?? id}`),
  };
}

const scopeWords = (args: Args): string => (arg(args, 'scope') === '' ? '' : ` (${arg(args, 'scope')})`);

const WORDS: Readonly<Record<string, (args: Args) => string>> = {
  rule_spike: (args) =>
    args['times'] === null
      ? `${arg(args, 'rule')} fires, but did not fire in the week before`
      : `${arg(args, 'rule')} fires ${arg(args, 'times')} times as often as in the week before`,
  exception_ending: (args) =>
    `${arg(args, 'exception')} ends ${args['days'] === 1 ? 'within a day' : `in ${arg(args, 'days')} days`}`,
  replica_behind: (args) => `Replica ${arg(args, 'replica')} does not run the policy in force`,
  budget_forecast: (args) =>
    args['over'] === 'yes'
      ? `Budget ${arg(args, 'budget')} has reached its limit${scopeWords(args)}`
      : `Budget ${arg(args, 'budget')} will reach its limit at this pace${scopeWords(args)}`,
  detector_failing: (args) => `Detector ${arg(args, 'detector')} fails: calls are refused`,
  key_expiring: (args) => `Key ${arg(args, 'name') || arg(args, 'key')} expires soon`,
  key_unused: (args) => `Key ${arg(args, 'name') || arg(args, 'key')} is not used`,
  review_overdue: (args) => `${arg(args, 'rule')} is past its review date`,
  emergency_change: () => 'An emergency change is in force',
  trial_ending: (args) => (args['over'] === 'yes' ? 'The trial is over' : 'The trial ends soon'),
  marks_open: (args) =>
    Number(args['wrong']) > 0
      ? `${arg(args, 'rule')} was marked wrong ${times(args['wrong'])} and has not changed since`
      : `${arg(args, 'rule')} was marked missed ${times(args['missed'])} and has not changed since`,
};

interface EntryProps {
  readonly item: AttentionItem;
  readonly words: string;
  readonly snooze: () => void;
}

/** A screen reader may read a link or a button without the entry, so both have its words in their names. */
function Entry({ item: { severity, environment, since, link, count: number }, words, snooze }: EntryProps): ReactNode {
  const target = link === null ? null : pathTarget(link);
  const verb = number === null ? 'Look' : `See ${count(number)}`;
  return (
    <li>
      <span className={severity === 'critical' ? 'red' : severity === 'warn' ? 'amber' : 'dim'}>
        <Icon name="alert" />
        <span className="sr">{severity}</span>
      </span>
      <span className="prose">
        {words}
        {environment !== null && <span className="dim"> · {environment}</span>}
        {since !== null && (
          <span className="dim">
            {' · '}
            <Time at={since} />
          </span>
        )}
      </span>
      <span className="line tight nowrap push">
        {target !== null && (
          <Link
            to={target.to as '/'}
            search={target.search as never}
            className="button"
            aria-label={`${verb}: ${words}`}
          >
            {verb}
          </Link>
        )}
        <button
          type="button"
          className="button quiet"
          title="Not now: hidden for 24 hours"
          aria-label={`Not now: ${words}`}
          onClick={snooze}
        >
          Not now
        </button>
      </span>
    </li>
  );
}

const DAY_MS = 86_400_000;
const SHOWN = 7;

export function Attention(): ReactNode {
  const { environmentParam } = useView();
  const key = ['attention', environmentParam];
  const items = usePolled<AttentionList>(key, '/v1/attention', { environment: environmentParam });
  const apps = useApps().data;
  const nameOf = (app: string): string | undefined => apps?.find(({ id }) => id === app)?.name;
  const client = useQueryClient();
  const snooze = useMutation({
    mutationFn: (id: string) =>
      send('PUT', `/v1/attention/${encodeURIComponent(id)}/snooze`, {
        until: new Date(Date.now() + DAY_MS).toISOString(),
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['attention'] });
      // The pressed button has left the page with its entry.
      requestAnimationFrame(focusPageIfLost);
    },
  });
  return (
    <Block title="Needs attention" what="the attention list" query={items} height={180}>
      {({ data, checked_at: checkedAt }) =>
        data.length === 0 ? (
          <Empty>Nothing needs attention. Last checked {clock(checkedAt)}.</Empty>
        ) : (
          <>
            {snooze.error !== null && (
              <p className="problem" role="alert">
                The entry was not hidden. {failureWords(snooze.error).words}
              </p>
            )}
            <ul className="attention">
              {data.slice(0, SHOWN).map((item) => (
                <Entry
                  key={item.id}
                  item={item}
                  words={WORDS[item.kind]?.(named(item.text_args, nameOf)) ?? item.kind}
                  snooze={() => snooze.mutate(item.id)}
                />
              ))}
            </ul>
            {data.length > SHOWN && (
              <p className="meta">
                {count(data.length - SHOWN)} more, less urgent: <code className="mono">weir attention</code> lists all.
              </p>
            )}
          </>
        )
      }
    </Block>
  );
}
