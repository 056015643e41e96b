import { AccountPlaces } from '../overload/index.js';
import { RATIO_FREE_BYTES, type UnpackedLimits } from './content-coding.js';

/** Reading and judging an answer takes many times as much memory as its bytes; up to this size, that is little. */
const LARGE_BYTES = 1024 * 1024;
/** The usual ratio of an answer's content to its compressed bytes is less than this. */
const USUAL_RATIO = 10;
/** The large answers that are judged at once: their connections to providers are no limit for them, because they are complete. */
const AT_ONCE = { all: 4, ofAccount: 3 };

/** An answer before it is read. */
interface UnreadAnswer {
  readonly accountId: string;
  /** Of its body, in bytes. */
  readonly length: number;
  readonly coding: string | undefined;
}

/**
 * Limits the number of large answers that are judged at once. The others wait, and accounts take turns: otherwise an account could fill the
 * memory with the answers of many calls.
 */
export class LargeAnswers {
  private readonly places = new AccountPlaces(AT_ONCE);

  /**
   * Does the work on an answer when its turn has come; at once if the answer is small.
   * @throws the errors of `work`
   */
  async inTurn<T>(answer: UnreadAnswer, limits: Pick<UnpackedLimits, 'ratio'>, work: () => Promise<T>): Promise<T> {
    if (mostBytes(answer, limits) <= LARGE_BYTES) return work();
    const leave = await this.places.enter(answer.accountId, new AbortController().signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }
}

/** The length that the answer's content may have. */
function mostBytes({ length, coding = '' }: UnreadAnswer, { ratio }: Pick<UnpackedLimits, 'ratio'>): number {
  const isPlain = ['', 'identity'].includes(coding.trim().toLowerCase());
  return isPlain ? length : Math.max(RATIO_FREE_BYTES, length * Math.min(ratio, USUAL_RATIO));
}
