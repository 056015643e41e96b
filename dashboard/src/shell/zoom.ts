/** A range that was dragged on a chart, and the way back to the range before it. */
import { useCallback } from 'react';
import { useSearchParams, useSetSearch, type Search } from './view.ts';

interface Zoom {
  readonly from: string;
  readonly to: string;
  /** The range before, as parameters of the URL. */
  readonly before: Search;
}

/** Enough for a person who zooms in step by step. */
const MOST_KEPT = 20;
let zooms: readonly Zoom[] = [];

const beforeZoom = ({ from, to }: Search): Search | undefined =>
  zooms.findLast((zoom) => zoom.from === from && zoom.to === to)?.before;

/** Shows the range between two times. */
export function useZoom(): (from: string, to: string) => void {
  const { range, from, to } = useSearchParams();
  const setSearch = useSetSearch();
  return useCallback(
    (begin, end) => {
      zooms = [...zooms, { from: begin, to: end, before: { range, from, to } }].slice(-MOST_KEPT);
      setSearch({ from: begin, to: end, range: undefined });
    },
    [range, from, to, setSearch],
  );
}

interface ZoomBack {
  /** The range before, as parameters of the URL. */
  readonly before: Search;
  readonly go: () => void;
}

/** Undefined: the range was not dragged on a chart of this page. */
export function useZoomBack(): ZoomBack | undefined {
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const before = beforeZoom(search);
  return before === undefined ? undefined : { before, go: () => setSearch(before) };
}
