/** The maximum share of a group, as a multiple of the room that remains free: seven eighths of all room if it is alone. */
const GROUP_TIMES_FREE = 7;
/** The maximum share of one member of a group, as a multiple of the free room: three quarters of all room if it is alone. */
const MEMBER_TIMES_FREE = 3;
/** The time within which a body must arrive completely while others need its room. */
const UPLOAD_MS = 15_000;
/** No body counts as slow before this time. */
const GRACE_MS = 2_000;

/** The sender, such as account and key: the members of a group share its room. */
export type BodyParty = readonly [group: string, member: string];

/** An incoming body that needs room. */
export interface AnnouncedBody {
  readonly party: BodyParty;
  /** Length in bytes; absent if the client does not announce it. */
  readonly announced?: number;
  /** Called when the body has arrived too slowly and its memory is given to another one. */
  readonly giveUp: () => void;
}

/**
 * Limits the bytes of bodies in memory, and shares them among parties. Each party may have a multiple of the room that remains free, so
 * some is left for the next party, regardless of their number (Choudhury and Hahne, Dynamic queue length thresholds, 1998). A body that
 * does not fit takes the room of bodies that arrive too slowly.
 */
export class BodyRoom {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();
  private readonly coming = new Set<BodyHold>();

  /** @param nowMs a monotonic clock */
  constructor(
    private readonly bytes: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  get takenBytes(): number {
    return this.taken;
  }

  /** Registers a body, which has no room yet. */
  open(body: AnnouncedBody): BodyHold {
    const nowMs = this.nowMs();
    return new BodyHold(body, nowMs, {
      take: (hold, bytes) => this.take(hold, bytes),
      give: (hold) => this.give(hold),
      here: (hold) => void this.coming.delete(hold),
    });
  }

  private take(hold: BodyHold, bytes: number): boolean {
    if (!this.fits(hold, bytes) && !this.makeRoom(hold, bytes)) return false;
    this.change(hold.party, bytes);
    if (!hold.hasArrived) this.coming.add(hold);
    return true;
  }

  private give(hold: BodyHold): void {
    this.change(hold.party, -hold.taken);
    this.coming.delete(hold);
  }

  /** A body larger than all room fits if it is alone, and the first body of a party may take all free room. */
  private fits({ party, taken: own }: BodyHold, bytes: number): boolean {
    if (this.taken === own) return true;
    const free = this.bytes - this.taken - bytes;
    if (free < 0) return false;
    const ofGroup = this.takenBy.get(party[0]) ?? 0;
    const ofMember = this.takenBy.get(memberKey(party)) ?? 0;
    if (ofGroup > own && ofGroup + bytes > GROUP_TIMES_FREE * free) return false;
    return ofMember === own || ofMember + bytes <= MEMBER_TIMES_FREE * free;
  }

  /**
   * Gives up as many of the slowest bodies as necessary, or none if that is not enough. A party that already has room gives up its own
   * bodies only: otherwise it could take the room of others step by step, with more keys and bodies.
   */
  private makeRoom(hold: BodyHold, bytes: number): boolean {
    const nowMs = this.nowMs();
    const owner = this.ownerOfMore(hold);
    const slow = [...this.coming]
      .filter((each) => each !== hold && each.paceAt(nowMs) < 1)
      .filter(({ party }) => owner === undefined || party[0] === owner || memberKey(party) === owner)
      .toSorted((one, other) => one.paceAt(nowMs) - other.paceAt(nowMs));
    const given: BodyHold[] = [];
    for (const each of slow) {
      this.change(each.party, -each.taken);
      given.push(each);
      if (this.fits(hold, bytes)) break;
    }
    const isEnough = this.fits(hold, bytes);
    for (const each of given) this.change(each.party, each.taken);
    if (isEnough) for (const each of given) each.giveUp();
    return isEnough;
  }

  /** The member, or else the group, to which other bodies with room belong besides this one; undefined if there is none. */
  private ownerOfMore({ party, taken: own }: BodyHold): string | undefined {
    return [memberKey(party), party[0]].find((key) => (this.takenBy.get(key) ?? 0) > own);
  }

  private change(party: BodyParty, bytes: number): void {
    this.taken += bytes;
    for (const key of [party[0], memberKey(party)]) {
      const own = (this.takenBy.get(key) ?? 0) + bytes;
      if (own === 0) this.takenBy.delete(key);
      else this.takenBy.set(key, own);
    }
  }
}

/** Differs from the name of every group, since no id contains a line break. */
function memberKey([group, member]: BodyParty): string {
  return `${group}\n${member}`;
}

interface RoomOfHold {
  take(hold: BodyHold, bytes: number): boolean;
  give(hold: BodyHold): void;
  here(hold: BodyHold): void;
}

/** The room that one body has. */
export class BodyHold {
  private bytes = 0;
  private arrived = 0;
  private isComplete = false;
  private isOver = false;

  constructor(
    private readonly body: AnnouncedBody,
    private readonly beganMs: number,
    private readonly room: RoomOfHold,
  ) {}

  get party(): BodyParty {
    return this.body.party;
  }

  get taken(): number {
    return this.bytes;
  }

  /** Whether the body has arrived completely. */
  get hasArrived(): boolean {
    return this.isComplete;
  }

  /** @returns whether there is room for this number of bytes in total */
  reach(bytes: number): boolean {
    if (this.isOver) return false;
    const more = bytes - this.bytes;
    if (more <= 0) return true;
    if (!this.room.take(this, more)) return false;
    this.bytes += more;
    return true;
  }

  /** Counts bytes that have arrived. */
  came(bytes: number): void {
    this.arrived += bytes;
  }

  /** Called when the body has arrived completely: it no longer counts as slow, even if it needs more room to be unpacked. */
  isHere(): void {
    this.isComplete = true;
    this.room.here(this);
  }

  /** Releases all room; a second call has no effect. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.bytes > 0) this.room.give(this);
    this.bytes = 0;
  }

  /** Releases the room for another body. */
  giveUp(): void {
    this.end();
    this.body.giveUp();
  }

  /** The pace of the body as a multiple of the required pace. A body of unknown length is slow only after `UPLOAD_MS`. */
  paceAt(nowMs: number): number {
    const elapsedMs = nowMs - this.beganMs;
    if (elapsedMs <= GRACE_MS) return Infinity;
    const { announced } = this.body;
    const part = announced === undefined ? 1 : this.arrived / announced;
    return (part * UPLOAD_MS) / elapsedMs;
  }
}
