import type { ReactNode } from 'react';
import { useStats } from '../api/stats.ts';
import { outcomeSeries } from '../overview/outcome-series.ts';
import { Bars } from '../parts/bars.tsx';
import { useZoom } from '../shell/zoom.ts';
import { hasSeveral } from './filters.ts';

/** Filters that the statistics also support, each with one value. With others, the bars would not count the listed events. */
const KNOWN = new Set(['app', 'model', 'key']);

export function Histogram({ filters }: { readonly filters: Readonly<Record<string, string>> }): ReactNode {
  const zoom = useZoom();
  const isTold = Object.entries(filters).every(([name, value]) => KNOWN.has(name) && !hasSeveral({ name, value }));
  const { data, error, refetch, isPlaceholderData } = useStats('outcome', isTold ? filters : {});
  if (!isTold) return null;
  // One line, as high as the bars that it replaces.
  if (data === undefined && error !== null) {
    return (
      <p className="histogram line nowrap" role="alert">
        <span>The chart could not be loaded.</span>
        <button type="button" className="button" onClick={() => void refetch()}>
          Try again
        </button>
      </p>
    );
  }
  // The space is reserved while it loads and if there are no calls, so that the list does not move.
  if (data === undefined || data.totals.calls === 0) return <div className="histogram" />;
  return (
    <div className={`histogram${isPlaceholderData ? ' outdated' : ''}`}>
      <Bars
        plain
        label="Calls over time"
        buckets={data.buckets}
        stepSeconds={data.step_seconds}
        series={outcomeSeries(data)}
        height={40}
        zoom={zoom}
      />
    </div>
  );
}
