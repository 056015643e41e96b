import type { ReactNode } from 'react';
import { useStats } from '../api/stats.ts';
import { Bars } from '../parts/bars.tsx';
import { useZoom } from '../shell/zoom.ts';
import { histogramDrawing, type HistogramDrawing } from './histogram-drawing.ts';

export function Histogram({ filters }: { readonly filters: Readonly<Record<string, string>> }): ReactNode {
  const drawing = histogramDrawing(filters);
  return (
    drawing !== undefined && (
      <>
        <Drawn drawing={drawing} />
        {drawing.note !== undefined && <p className="meta histogram-note">{drawing.note}</p>}
      </>
    )
  );
}

function Drawn({ drawing }: { readonly drawing: HistogramDrawing }): ReactNode {
  const { label, groupBy, query, top, seriesOf } = drawing;
  const zoom = useZoom();
  const { data, error, refetch, isPlaceholderData } = useStats(groupBy, query, top);
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
  const series = data === undefined ? [] : seriesOf(data);
  if (series === undefined && !isPlaceholderData)
    return <p className="histogram meta">No chart: the statistics do not list all selected values separately.</p>;
  // The space is reserved while it loads and if there are no calls, so that the list does not move.
  const isDrawn = series?.some(({ values }) => values.some((value) => Number(value) > 0)) === true;
  if (data === undefined || series === undefined || !isDrawn) return <div className="histogram" />;
  return (
    <div className={`histogram${isPlaceholderData ? ' outdated' : ''}`}>
      <Bars
        plain
        label={label}
        buckets={data.buckets}
        stepSeconds={data.step_seconds}
        series={series}
        height={40}
        zoom={zoom}
      />
    </div>
  );
}
