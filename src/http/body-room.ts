import { totalmem } from 'node:os';
import { Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { WeirError } from './weir-error.js';

/** Bodies that are no larger count for nothing: their connections take about as much. */
const SMALL_BYTES = 16 * 1_024;
/** What one credential may have of all room: whoever sends large bodies leaves some to others. */
const SHARE = 3 / 4;
/** A body stands in memory several times while it is read, judged and stored. */
const PART_OF_MEMORY = 1 / 16;

/** What the bodies of all requests may take at once when nothing is set. */
export function usualBodyRoom(): number {
  const constrained = process.constrainedMemory();
  const bytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.floor(bytes * PART_OF_MEMORY);
}

/** How many bytes of bodies there may be in memory at once, and who has them. */
export class BodyRoom {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();

  constructor(private readonly bytes: number) {}

  get takenBytes(): number {
    return this.taken;
  }

  /**
   * Takes room unless there is too little. What would never fit goes alone.
   * @param party who shares a part of the room
   */
  take(party: string, bytes: number): boolean {
    const own = this.takenBy.get(party) ?? 0;
    if (this.taken > 0 && this.taken + bytes > this.bytes) return false;
    if (own > 0 && own + bytes > this.bytes * SHARE) return false;
    this.change(party, bytes);
    return true;
  }

  give(party: string, bytes: number): void {
    this.change(party, -bytes);
  }

  private change(party: string, bytes: number): void {
    const own = (this.takenBy.get(party) ?? 0) + bytes;
    this.taken += bytes;
    if (own === 0) this.takenBy.delete(party);
    else this.takenBy.set(party, own);
  }
}

/**
 * Refuses large bodies that memory has no room for, as `overloaded`: before a byte is read where their length is
 * announced, or as soon as they grow beyond what there is. Room is given back when the answer has ended.
 */
export function keepBodiesInRoom(server: FastifyInstance, room: BodyRoom, onRefused: () => void): void {
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    const announced = Number(length ?? Number.NaN);
    const isNone = length === undefined && encoding === undefined;
    if (isNone || announced <= SMALL_BYTES) return done(null, payload);
    // Refused as too large before it is read: trying again later, as of an overload, does not help.
    if (announced > request.routeOptions.bodyLimit) return done(null, payload);
    const holder = new RoomOfRequest(room, partyOf(request), onRefused);
    reply.raw.once('close', () => holder.end());
    if (Number.isNaN(announced)) return done(null, holder.counted(payload));
    done(holder.grow(announced), payload);
  });
}

/** What one request has of the room. */
class RoomOfRequest {
  private length = 0;
  private taken = 0;
  private isOver = false;

  constructor(
    private readonly room: BodyRoom,
    private readonly party: string,
    private readonly onRefused: () => void,
  ) {}

  /** @returns what is answered where so many bytes more cannot be kept */
  grow(bytes: number): WeirError | null {
    this.length += bytes;
    if (this.isOver || this.length <= SMALL_BYTES) return null;
    const more = this.length - this.taken;
    if (!this.room.take(this.party, more)) {
      this.onRefused();
      return new WeirError('overloaded', { retryAfterSeconds: 1 });
    }
    this.taken += more;
    return null;
  }

  /** A body of unknown length, which ends with an error once there is no room for it. */
  counted(payload: RequestPayload): RequestPayload {
    const counter: Transform & { receivedEncodedLength?: number } = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        counter.receivedEncodedLength = this.length + chunk.length;
        done(this.grow(chunk.length), chunk);
      },
    });
    payload.once('error', (error) => counter.destroy(error));
    // What still comes is let pass, or the connection would stand still behind it.
    counter.once('error', () => payload.resume());
    return payload.pipe(counter);
  }

  end(): void {
    if (this.taken > 0) this.room.give(this.party, this.taken);
    this.taken = 0;
    this.isOver = true;
  }
}

/** Whoever presents a credential, whether or not it is good. */
function partyOf({ headers }: FastifyRequest): string {
  return [headers['x-service-key'] ?? headers.authorization ?? ''].flat()[0]!;
}
