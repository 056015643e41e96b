import type { ServerResponse } from 'node:http';
import { totalmem } from 'node:os';
import { Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { invalidRequest, WeirError } from '../http/index.js';
import { type BodyHold, type BodyParty, BodyRoom } from '../overload/index.js';
import { ReceivedGarbage } from './received-garbage.js';

/** Bodies up to this size are not counted: their connections use about as much memory. */
const SMALL_BYTES = 16 * 1_024;
/** The share of the memory that bodies may use. There are up to a dozen copies of a body while it is read, judged and stored. */
const PART_OF_MEMORY = 1 / 48;
/** An additional share for callers without a credential on routes that require none, as a fraction of the share above. */
const PART_OF_STRANGERS = 1 / 8;
/** A body of more pieces must have pieces of this size on average: each takes over a hundred bytes of memory besides its content. */
const FREE_PIECES = 16_384;
const LEAST_PIECE_BYTES = 32;
/** Methods for which Fastify does not read a body. */
const WITHOUT_BODY: readonly string[] = ['GET', 'HEAD', 'TRACE'];

/** The default memory in bytes for the bodies of all requests in one of `processes` processes. */
export function usualBodyRoom(processes: number): number {
  const constrained = process.constrainedMemory();
  const bytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.floor((bytes * PART_OF_MEMORY) / processes);
}

/** The memory that a request may use for the content of its packed body. */
export interface UnpackingRoom {
  /**
   * Extends the memory of the request to its body and a number of unpacked bytes.
   * @throws WeirError `overloaded` if there is no memory for them
   */
  reachUnpacked(bytes: number): Promise<void>;
}

/** The memory for bodies of callers with a valid credential, and that for all others. */
export class BodyRooms {
  readonly callers: BodyRoom;
  readonly strangers: BodyRoom;
  private readonly ofRequests = new WeakMap<FastifyRequest, UnpackingRoom>();

  /** @param garbage frees the memory of received chunks */
  constructor(
    bytes: number,
    nowMs?: () => number,
    readonly garbage = new ReceivedGarbage(),
  ) {
    this.callers = new BodyRoom(bytes, nowMs);
    this.strangers = new BodyRoom(bytes * PART_OF_STRANGERS, nowMs);
  }

  get takenBytes(): number {
    return this.callers.takenBytes + this.strangers.takenBytes;
  }

  /** @returns undefined for a request without a body */
  of(request: FastifyRequest): UnpackingRoom | undefined {
    return this.ofRequests.get(request);
  }

  /** Stores the memory of a request for those who unpack its body. */
  set(request: FastifyRequest, room: UnpackingRoom): void {
    this.ofRequests.set(request, room);
  }
}

/** Identifies the sender of a body before the body is read. */
export interface Senders {
  /** Whether a route requires a credential. */
  wantsCredential(request: FastifyRequest): boolean;
  /** The owner of the request's credential; null if there is no valid one. @throws AccessUnavailable */
  of(request: FastifyRequest): Promise<BodyParty | null>;
  /** Identifies the sender of a request to a route that requires no credential. */
  strangerOf(request: FastifyRequest): BodyParty;
}

/** Calls `then` when the work on a client's call has ended: until then the body is in memory, even if the client has disconnected. */
export type AfterWork = (client: ServerResponse, then: () => void) => void;

/**
 * Refuses large bodies without a credential, and those that do not fit into the memory for bodies as `overloaded`: before a byte is
 * read if the length is declared, otherwise as soon as they exceed the available memory. Memory is released when the answer has ended
 * and the body is no longer in use, or earlier for another body if the body arrives too slowly.
 */
export function keepBodiesInRoom(
  server: FastifyInstance,
  rooms: BodyRooms,
  senders: Senders,
  onRefused: () => void,
  afterWork: AfterWork,
): void {
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    const announced = Number(length ?? Number.NaN);
    const isNone = length === undefined && encoding === undefined;
    if (isNone || WITHOUT_BODY.includes(request.method)) return done(null, payload);
    const holder = new RoomOfRequest(rooms, senders, request, { reply: reply.raw, onRefused, afterWork });
    rooms.set(request, holder);
    if (announced <= SMALL_BYTES) return done(null, holder.uncounted(announced, payload));
    // Fastify refuses the body as too large before reading it. If it were refused as `overloaded`, the client would retry in vain.
    if (announced > request.routeOptions.bodyLimit) return done(null, payload);
    // Without a route, nothing of the body is read.
    if (request.is404) return done(new WeirError('not_found'), payload);
    // The client disconnected while its credential was looked up: the memory would never be released.
    if (reply.raw.closed) {
      return done(invalidRequest([{ path: '', message: 'ended before its announced length' }]), payload);
    }
    if (Number.isNaN(announced)) return done(null, holder.counted(payload));
    holder.expect(announced).then(
      () => done(null, holder.counted(payload)),
      (error: unknown) => done(error as Error, payload),
    );
  });
  // Whoever refused the request, Node would read and discard a body that nobody has begun to read.
  server.addHook('onSend', ({ raw, method, headers }, _reply, payload, done) => {
    const isLarge = headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > SMALL_BYTES;
    const isUnread = raw.readableFlowing === null && !WITHOUT_BODY.includes(method);
    if (isLarge && isUnread) rooms.garbage.discard(raw);
    done(null, payload);
  });
}

interface RoomEvents {
  readonly reply: ServerResponse;
  readonly onRefused: () => void;
  readonly afterWork: AfterWork;
}

/** The memory reserved for one request. */
class RoomOfRequest implements UnpackingRoom {
  private hold: BodyHold | undefined;
  private length = 0;
  private pieces = 0;
  private hasArrived = false;
  private counter: Transform | undefined;

  constructor(
    private readonly rooms: BodyRooms,
    private readonly senders: Senders,
    private readonly request: FastifyRequest,
    private readonly events: RoomEvents,
  ) {}

  /** The stream of a small body, which counts only if more has to be reserved for its unpacked content. */
  uncounted(announced: number, payload: RequestPayload): RequestPayload {
    this.length = announced;
    this.hasArrived = true;
    return payload;
  }

  /** Reserves memory for a body with a declared length. @throws WeirError */
  expect(announced: number): Promise<void> {
    return this.reach(announced, announced);
  }

  /** The body's stream, which fails as soon as there is no more memory for it. */
  counted(payload: RequestPayload): RequestPayload {
    const counter: Transform & { receivedEncodedLength?: number } = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.length += chunk.length;
        this.pieces += 1;
        counter.receivedEncodedLength = this.length;
        this.hold?.came(chunk.length);
        this.rooms.garbage.received(chunk.length);
        if (this.pieces > FREE_PIECES && this.length < this.pieces * LEAST_PIECE_BYTES) {
          const message = `must be sent in pieces of at least ${LEAST_PIECE_BYTES} bytes on average`;
          return done(invalidRequest([{ path: '', message }]));
        }
        if (this.length <= SMALL_BYTES || (this.hold?.taken ?? 0) >= this.length) return done(null, chunk);
        this.reach(this.length).then(
          () => done(null, chunk),
          (error: unknown) => done(error as Error),
        );
      },
      flush: (done) => {
        this.hasArrived = true;
        this.hold?.isHere();
        done();
      },
    });
    this.counter = counter;
    payload.once('error', (error) => counter.destroy(error));
    counter.once('error', () => this.rooms.garbage.discard(payload));
    return payload.pipe(counter);
  }

  async reachUnpacked(bytes: number): Promise<void> {
    const total = this.length + bytes;
    if (total > SMALL_BYTES) await this.reach(total);
  }

  private async reach(bytes: number, announced?: number): Promise<void> {
    this.hold ??= await this.opened(announced);
    // If the client has disconnected in the meantime, the memory would never be released.
    if (!this.isOver && this.hold.reach(bytes)) return;
    throw this.refusal();
  }

  /** Whether the answer has ended, or the client has disconnected: no more memory may be reserved. */
  private get isOver(): boolean {
    return this.events.reply.closed;
  }

  private async opened(announced: number | undefined): Promise<BodyHold> {
    const { request, rooms, senders } = this;
    const isStranger = !senders.wantsCredential(request);
    const party = isStranger ? senders.strangerOf(request) : await senders.of(request);
    if (party === null) throw new WeirError('authentication_error');
    const giveUp = (): void => void this.counter?.destroy(this.refusal());
    const body = { party, giveUp, ...(announced === undefined ? {} : { announced }) };
    const hold = (isStranger ? rooms.strangers : rooms.callers).open(body);
    if (this.hasArrived) hold.isHere();
    const { reply, afterWork } = this.events;
    reply.once('close', () => afterWork(reply, () => hold.end()));
    return hold;
  }

  private refusal(): WeirError {
    this.events.onRefused();
    return new WeirError('overloaded', { retryAfterSeconds: 1 });
  }
}
