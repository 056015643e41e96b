/** The maximum share of a group, as a multiple of the room that remains free: seven eighths of all room if it is alone. */
const GROUP_TIMES_FREE = 7;
/** The same of one member of it: three quarters when it is alone. */
const MEMBER_TIMES_FREE = 3;
/** The pace that is asked of a body while others want its room: it is there as a whole within this time. */
const UPLOAD_MS = 15_000;
/** Nobody is slow before. */
const GRACE_MS = 2_000;

/** Who sends, such as account and key: members of a group share what it may have. */
export type BodyParty = readonly [group: string, member: string];

/** A body for which there may be room. */
export interface AnnouncedBody {
  readonly party: BodyParty;
  /** Absent where it is not announced. */
  readonly announced?: number;
  /** Its room is somebody else's from now on: it came too slowly. */
  readonly giveUp: () => void;
}

/**
 * How many bytes of bodies there may be in memory at once, and who has them. Each party may have a multiple of what is
 * left free beside it, which leaves some to whoever comes next however many there are (Choudhury and Hahne, Dynamic queue
 * length thresholds, 1998). Who does not fit takes the room of bodies that come too slowly.
 */
export class BodyRoom {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();
  private readonly coming = new Set<BodyHold>();

  /** @param nowMs a clock that never goes back */
  constructor(
    private readonly bytes: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  get takenBytes(): number {
    return this.taken;
  }

  /** A body that has no room so far. */
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
    this.coming.add(hold);
    return true;
  }

  private give(hold: BodyHold): void {
    this.change(hold.party, -hold.taken);
    this.coming.delete(hold);
  }

  /** What would never fit goes alone, and the first body of a party may take all that is free. */
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
   * Gives up the slowest bodies, as many as it takes; none where that would not be enough. Who has room already gives up its
   * own, or more keys and bodies of it would have the room of others one after the other.
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

  /** The member, or else the group, that has room beside this body; undefined where neither has. */
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

/** Never the name of a group alone: no id holds a line end. */
function memberKey([group, member]: BodyParty): string {
  return `${group}\n${member}`;
}

interface RoomOfHold {
  take(hold: BodyHold, bytes: number): boolean;
  give(hold: BodyHold): void;
  here(hold: BodyHold): void;
}

/** What one body has of the room. */
export class BodyHold {
  private bytes = 0;
  private arrived = 0;
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

  /** @returns whether there is room for so many bytes in all */
  reach(bytes: number): boolean {
    if (this.isOver) return false;
    const more = bytes - this.bytes;
    if (more <= 0) return true;
    if (!this.room.take(this, more)) return false;
    this.bytes += more;
    return true;
  }

  /** So many bytes have come. */
  came(bytes: number): void {
    this.arrived += bytes;
  }

  /** All of it has come: whatever is done with it, it is not slow. */
  isHere(): void {
    this.room.here(this);
  }

  /** Gives all room back; a second time does nothing. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.bytes > 0) this.room.give(this);
    this.bytes = 0;
  }

  /** Somebody else gets the room. */
  giveUp(): void {
    this.end();
    this.body.giveUp();
  }

  /** How fast it comes, as a multiple of what is asked of it: a length that nobody knows counts as there when its time is. */
  paceAt(nowMs: number): number {
    const elapsedMs = nowMs - this.beganMs;
    if (elapsedMs <= GRACE_MS) return Infinity;
    const { announced } = this.body;
    const part = announced === undefined ? 1 : this.arrived / announced;
    return (part * UPLOAD_MS) / elapsedMs;
  }
}
