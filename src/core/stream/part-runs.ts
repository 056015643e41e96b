import type { AnswerPart } from '../providers/stream-family.js';
import { isStop, type Steps } from '../steps/steps.js';

/** The parts of one event. */
interface NotedParts {
  /** The number of each text's run, by the text's path; undefined if the event has no parts. */
  readonly runs: ReadonlyMap<string, number> | undefined;
  readonly count: number;
}

export const NO_PARTS: NotedParts = { runs: undefined, count: 0 };

/** Numbers the runs of an answer's parts. A run consists of consecutive parts of one kind; a part without a text ends it. */
export class PartRuns {
  /** The last part of each list. */
  private readonly last = new Map<string, { readonly kind: string | undefined; readonly run: number }>();

  /** Notes the parts of the next event. */
  *noting(parts: Iterable<AnswerPart>): Steps<NotedParts> {
    const runs = new Map<string, number>();
    let count = 0;
    for (const { list, path, kind } of parts) {
      if (isStop(count++)) yield;
      const last = this.last.get(list);
      const goesOn = last !== undefined && kind !== undefined && last.kind === kind;
      const run = last === undefined ? 0 : goesOn ? last.run : last.run + 1;
      if (!goesOn) this.last.set(list, { kind, run });
      if (kind !== undefined) runs.set(path, run);
    }
    return { runs, count };
  }
}
