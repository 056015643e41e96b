/** Trace categories that Chromium must record for `framesOf`. */
export const TRACED: string[] = [
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'v8.execute',
  'blink.user_timing',
];

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** CPU time of the thread during the event, in microseconds. */
  readonly tdur?: number;
}

export interface Frame {
  readonly workMs: number;
}

/** Trace events of scripts, styles, layout and garbage collection. An event nested in one of them is not counted again. */
const WORK = new Set([
  'FunctionCall',
  'EvaluateScript',
  'FireAnimationFrame',
  'TimerFire',
  'EventDispatch',
  'RunMicrotasks',
  'FireIdleCallback',
  'UpdateLayoutTree',
  'Layout',
  'PrePaint',
  'MinorGC',
  'MajorGC',
]);

/** CPU time of the main thread in each frame: from one `weir-frame` mark of the page to the next. */
export function framesOf(trace: Buffer): Frame[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const marks = traceEvents.filter(({ name }) => name === 'weir-frame').sort((left, right) => left.ts - right.ts);
  const [first] = marks;
  if (first === undefined) return [];
  const work = traceEvents
    .filter(({ name, ph, pid, tid }) => pid === first.pid && tid === first.tid && ph === 'X' && WORK.has(name))
    .sort((left, right) => left.ts - right.ts || (right.dur ?? 0) - (left.dur ?? 0));
  const sums = new Array<number>(marks.length).fill(0);
  let [mark, coveredTo] = [0, 0];
  for (const { ts, dur = 0, tdur = dur } of work) {
    if (ts < coveredTo) continue;
    coveredTo = ts + dur;
    // The page sets the mark during the frame's own work, so that event counts for the new frame.
    while (mark < marks.length && marks[mark]!.ts < coveredTo) mark++;
    if (mark > 0) sums[mark - 1]! += tdur / 1_000;
  }
  // The first frame still contains work from before the scrolling, and the last one has no end: both are dropped.
  return sums.slice(1, -1).map((workMs) => ({ workMs }));
}
