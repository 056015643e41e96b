/** The maximum number of ids of sent events that are stored per follower of the log, of about 100 bytes each. */
const MAX_IDS = 20_000;

/** The ids of the sent events from `first` on, so that an event that a later query finds again is not sent twice. */
export class SentIds {
  private readonly ids: Set<string>;
  private trimAt: number;

  /** @param first events from this id on were sent only if their ids are stored here */
  constructor(
    private first: string,
    sent: readonly string[] = [],
    private readonly max = MAX_IDS,
  ) {
    this.ids = new Set(sent);
    this.trimAt = max;
  }

  get from(): string {
    return this.first;
  }

  get size(): number {
    return this.ids.size;
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }

  add(id: string): void {
    this.ids.add(id);
  }

  forgetBefore(id: string): void {
    if (id <= this.first) return;
    this.first = id;
    for (const one of this.ids) if (one < id) this.ids.delete(one);
  }

  /** Removes the oldest ids if there are too many, but none from `needed` on. */
  trim(needed: string): void {
    if (this.ids.size <= this.trimAt) return;
    const oldestKept = [...this.ids].sort().at(-Math.ceil(this.max * 0.75))!;
    this.forgetBefore(oldestKept < needed ? oldestKept : needed);
    // Raised, so that ids that must be kept are not sorted again at every query.
    this.trimAt = Math.max(this.max, this.ids.size * 1.25);
  }
}
