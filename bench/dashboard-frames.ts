/** What Chromium has to write down for `framesOf`. */
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
  /** Processor time of the thread. */
  readonly tdur?: number;
}

export interface Frame {
  readonly workMs: number;
}

/** Scripts, styles and layout; what is below one of them is part of it. */
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

/** Processor time of the main thread between one mark `weir-frame` of the page and the next. */
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
    // The mark is made inside the frame's own work.
    while (mark < marks.length && marks[mark]!.ts < coveredTo) mark++;
    if (mark > 0) sums[mark - 1]! += tdur / 1_000;
  }
  // What is before the second mark belongs to the way there, what is behind the last one to nothing.
  return sums.slice(1, -1).map((workMs) => ({ workMs }));
}
