import type { Place } from '../call/reading-place.js';
import type { Scope } from '../providers/stream-family.js';
import type { Channels, FollowedChannel } from './channels.js';
import type { StreamCollector } from './stream-collector.js';
import type { StreamEvent } from './stream-event.js';
import { endedBy, endKeys } from './stream-ends.js';

/** The number of events with a text and without tokens after which a text of tokens ends, so that its last events do not wait for its end. */
const EVENTS_WITHOUT_TOKENS = 16;

/** The number of events whose tokens and their bytes are the text, after which a text of other bytes ends. */
const EVENTS_OF_TEXT = 4;

/** A text of tokens that may continue. */
interface TokenRun {
  readonly followed: FollowedChannel;
  readonly scope: Scope;
  /** The beginning of the paths, within an event, of the texts beside the tokens. */
  readonly beside: string;
  /** The number of events with such a text since the last tokens, or since the last bytes that were no text. */
  passed: number;
}

/**
 * The texts that tokens of log probabilities form in one stream, as far as events do not repeat them. Such a text begins with an event whose
 * tokens are not its text, such as tokens of hidden reasoning. It ends with the first event whose tokens are exactly its text, so that tokens
 * from different parts of a stream form no text.
 */
export class TokenRuns {
  /** The texts that may continue, by their keys. */
  private readonly open = new Map<string, TokenRun>();

  constructor(private readonly channels: Channels) {}

  /** Whether any text may continue. */
  get areOpen(): boolean {
    return this.open.size > 0;
  }

  /** Whether tokens at this place continue a text. */
  isOpen(scope: Scope, place: Place): boolean {
    const followed = this.areOpen ? this.channels.followed(scope, place, 'piece') : undefined;
    return followed !== undefined && this.open.has(followed.key);
  }

  /** Notes the texts that an event, whose pieces were added, begins and ends. */
  note(event: StreamEvent, { tokenTexts, repeatedTokens }: StreamCollector): void {
    const { scope, segments } = event;
    const continued = new Set<string>();
    for (const [at, { areOfText }] of tokenTexts) {
      const segment = segments[at];
      const followed = segment && this.channels.followed(scope, segment, 'piece');
      if (segment === undefined || followed === undefined || followed.channel !== event.held[at]?.channel) continue;
      const beside = segment.path.slice(0, Math.max(0, segment.path.lastIndexOf('logprobs')));
      const passed = areOfText === true ? (this.open.get(followed.key)?.passed ?? 0) + 1 : 0;
      this.open.set(followed.key, { followed, scope, beside, passed });
      if (passed >= EVENTS_OF_TEXT) this.end(followed);
      else continued.add(followed.key);
    }
    for (const place of repeatedTokens) {
      const followed = this.areOpen ? this.channels.followed(scope, place, 'piece') : undefined;
      if (followed !== undefined && !continued.has(followed.key)) this.end(followed);
    }
    const paths = this.open.size > continued.size ? textPaths(segments) : [];
    for (const [key, run] of this.open) if (!continued.has(key)) this.passing(run, scope, paths);
    const ended = this.areOpen ? endedBy(event) : undefined;
    if (ended === undefined) return;
    const keys = ended.texts === 'all' ? undefined : new Set(ended.texts);
    for (const { followed } of this.open.values())
      if (keys === undefined || endKeys(followed.channel).some((key) => keys.has(key))) this.end(followed);
  }

  /** @param paths the paths of the texts of an event */
  private passing(run: TokenRun, scope: Scope, paths: readonly string[]): void {
    const isBeside = run.scope.key === scope.key;
    if (!isBeside || !hasBeginning(paths, run.beside)) return;
    if (++run.passed >= EVENTS_WITHOUT_TOKENS) this.end(run.followed);
  }

  private end(followed: FollowedChannel): void {
    if (this.open.delete(followed.key)) this.channels.end(followed);
  }
}

/** The sorted paths of an event's texts that are not empty. */
function textPaths(segments: StreamEvent['segments']): string[] {
  return segments.flatMap(({ path, text }) => (text === '' ? [] : path)).sort();
}

/** Whether one of the sorted paths begins with a path. An event may have very many texts, and very many texts may be open. */
function hasBeginning(sorted: readonly string[], beginning: string): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < beginning) low = middle + 1;
    else high = middle;
  }
  return sorted[low]?.startsWith(beginning) === true;
}
