import type { AppDetail } from './app-client.js';

/** An app as text for a terminal. */
export function appText({ name, id, limits, usage, calls_24h: calls, last_event_at: last }: AppDetail): string {
  const surface = (which: 'events' | 'proxy'): string => {
    const use = usage[which];
    if (use === null) return 'no limit';
    const whose = limits?.[which] === undefined || limits[which] === null ? 'operator limit' : 'app limit';
    return `${use.used} of ${use.count} in ${use.seconds} s (${whose})`;
  };
  const rows = [
    ['app', name],
    ['id', id],
    ['events', surface('events')],
    ['proxy', surface('proxy')],
    ['counted by', usage.counted_by === 'all_replicas' ? 'all replicas together' : 'each replica separately'],
    ['calls, 24 h', calls === null ? 'not visible to this token' : String(calls)],
    ['last event', last ?? 'none'],
  ];
  return rows
    .map(([label = '', value = '']) => `${label.padEnd(12)} ${value.replace(/[\p{Cc}\p{Cf}]/gu, ' ')}\n`)
    .join('');
}
