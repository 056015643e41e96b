/** A range that was dragged on a chart, or that a link opened, and the way back to the range before it. */
import { useCallback } from 'react';
import { linkedTimes, type Times } from './span.ts';
import { useSearchParams, useSetSearch, type Search } from './view.ts';

interface Zoom extends Times {
  /** The range before, as parameters of the URL. */
  readonly before: Search;
}

/** Enough for a person who zooms in step by step. */
const MOST_KEPT = 20;
let zooms: readonly Zoom[] = [];

const note = (zoom: Zoom): void => {
  zooms = [...zooms, zoom].slice(-MOST_KEPT);
};

const beforeZoom = ({ from, to }: Search): Search | undefined =>
  zooms.findLast((zoom) => zoom.from === from && zoom.to === to)?.before;

/** Shows the range between two times. */
export function useZoom(): (from: string, to: string) => void {
  const { range, from, to } = useSearchParams();
  const setSearch = useSetSearch();
  return useCallback(
    (begin, end) => {
      note({ from: begin, to: end, before: { range, from, to } });
      setSearch({ from: begin, to: end, range: undefined });
    },
    [range, from, to, setSearch],
  );
}

interface FiguresLink {
  /** Parameters of the link. */
  readonly times: ReturnType<typeof linkedTimes>;
  /** To be called on a click, so that the way back is known. */
  readonly noted: () => void;
}

/** Links from figures to the calls that they count. */
export function useFiguresLink(): (counted: Required<Times>) => FiguresLink {
  const { range, from, to } = useSearchParams();
  return (counted) => {
    const times = linkedTimes(counted, from === undefined ? undefined : to);
    const isSame = times.from === from && times.to === to;
    return { times, noted: () => (isSame ? undefined : note({ ...times, before: { range, from, to } })) };
  };
}

interface ZoomBack {
  /** The range before, as parameters of the URL. */
  readonly before: Search;
  readonly go: () => void;
}

/** Undefined: the range was neither dragged on a chart nor opened by a link of this page. */
export function useZoomBack(): ZoomBack | undefined {
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const before = beforeZoom(search);
  return before === undefined ? undefined : { before, go: () => setSearch(before) };
}
