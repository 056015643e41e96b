import type { Segment } from '../model/call.js';
import type { Scope } from '../providers/stream-family.js';

/**
 * A text that was the whole text so far when its event arrived, such as that of `response.output_text.done`. A client may show only this
 * text, so it is judged by itself if the text goes on and no later event repeats it as a whole.
 */
export interface TextSnapshot {
  readonly scope: Scope;
  readonly segment: Segment;
  /** The index of its event, and the index of its segment in the event. */
  readonly place: { readonly event: number; readonly segment: number };
}

const NONE: readonly TextSnapshot[] = [];

/** For each text of a stream that events repeat as a whole, the latest repetition. */
export class LatestSnapshots<Text extends { readonly content: { readonly length: number } }> {
  private readonly latest = new Map<Text, { readonly snapshot: TextSnapshot; readonly units: number }>();
  private readonly owners = new Map<TextSnapshot, Text>();
  /** Repeated texts that have grown in the current event. */
  private readonly grown = new Set<Text>();

  /** Called for an event that repeats a text as a whole: snapshots in earlier events no longer count. */
  note(text: Text, snapshot: TextSnapshot): void {
    this.drop(text);
    this.latest.set(text, { snapshot, units: text.content.length });
    this.owners.set(snapshot, text);
  }

  drop(text: Text): void {
    const latest = this.latest.get(text);
    if (latest === undefined) return;
    this.latest.delete(text);
    this.owners.delete(latest.snapshot);
  }

  /** Called when the event was forwarded. Everything in its text was decided before anything continued the text. */
  forwarded(snapshot: TextSnapshot): void {
    const text = this.owners.get(snapshot);
    if (text !== undefined) this.drop(text);
  }

  grew(text: Text): void {
    if (this.latest.has(text)) this.grown.add(text);
  }

  /** Called when a text turned out to be the beginning of another one. */
  becomes(text: Text, other: Text): void {
    const latest = this.latest.get(text);
    if (latest === undefined) return;
    this.drop(text);
    this.drop(other);
    this.latest.set(other, latest);
    this.owners.set(latest.snapshot, other);
    this.grown.add(other);
  }

  /** Called at the end of an event. @returns the snapshots that are shorter than their text now; each only once */
  takeOutgrown(): readonly TextSnapshot[] {
    if (this.grown.size === 0) return NONE;
    const outgrown: TextSnapshot[] = [];
    for (const text of this.grown) {
      const latest = this.latest.get(text);
      if (latest === undefined || latest.units >= text.content.length) continue;
      this.drop(text);
      outgrown.push(latest.snapshot);
    }
    this.grown.clear();
    return outgrown;
  }
}
