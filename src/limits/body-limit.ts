import type { ServerResponse } from 'node:http';
import { totalmem } from 'node:os';
import { Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { invalidRequest, WeirError } from '../http/index.js';
import { type BodyHold, type BodyParty, BodyRoom } from '../overload/index.js';

/** Bodies up to this size do not count: their connections take about as much memory. */
const SMALL_BYTES = 16 * 1_024;
/** A body stands in memory several times while it is read, judged and stored. */
const PART_OF_MEMORY = 1 / 16;
/** Of that, as much again for those whom nobody knows, at routes that take no credential. */
const PART_OF_STRANGERS = 1 / 8;
/** Node hands no body of them to Fastify. */
const WITHOUT_BODY: readonly string[] = ['GET', 'HEAD', 'TRACE'];

/** What the bodies of all requests of one of so many processes may take at once when nothing is set. */
export function usualBodyRoom(processes: number): number {
  const constrained = process.constrainedMemory();
  const bytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.floor((bytes * PART_OF_MEMORY) / processes);
}

/** The room of callers whose credential is good, and that of all others. */
export class BodyRooms {
  readonly callers: BodyRoom;
  readonly strangers: BodyRoom;

  constructor(bytes: number, nowMs?: () => number) {
    this.callers = new BodyRoom(bytes, nowMs);
    this.strangers = new BodyRoom(bytes * PART_OF_STRANGERS, nowMs);
  }

  get takenBytes(): number {
    return this.callers.takenBytes + this.strangers.takenBytes;
  }
}

/** Who sends a body, where it has to be known before the body is read. */
export interface Senders {
  /** Whether a route takes nobody without a credential. */
  wantsCredential(request: FastifyRequest): boolean;
  /** Whose the request's credential is; null when there is none that counts. @throws AccessUnavailable */
  of(request: FastifyRequest): Promise<BodyParty | null>;
  /** Who is meant where no credential is wanted. */
  strangerOf(request: FastifyRequest): BodyParty;
}

/** Does something once nothing works on the call of a client any more: a body is in memory until then, client or no client. */
export type AfterWork = (client: ServerResponse, then: () => void) => void;

/**
 * Refuses large bodies of those who have no credential, and those that memory has no room for, as `overloaded`: before a
 * byte is read where their length is announced, or as soon as they grow beyond what there is. Room is given back when the
 * answer has ended and nothing works on the body, or earlier to somebody else when the body comes too slowly.
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
    if (isNone || announced <= SMALL_BYTES || WITHOUT_BODY.includes(request.method)) return done(null, payload);
    // Refused as too large before it is read: trying again later, as of an overload, does not help.
    if (announced > request.routeOptions.bodyLimit) return done(null, payload);
    // Nothing of it is read where nothing stands.
    if (request.is404) return done(new WeirError('not_found'), payload);
    // Its client left while its credential was looked up: nobody would give the room back, or read an answer.
    if (reply.raw.closed) {
      return done(invalidRequest([{ path: '', message: 'ended before its announced length' }]), payload);
    }
    const holder = new RoomOfRequest(rooms, senders, request, onRefused);
    reply.raw.once('close', () => {
      holder.takeNoMore();
      afterWork(reply.raw, () => holder.end());
    });
    if (Number.isNaN(announced)) return done(null, holder.counted(payload));
    holder.expect(announced).then(
      () => done(null, holder.counted(payload)),
      (error: unknown) => done(error as Error, payload),
    );
  });
}

/** What one request has of the room. */
class RoomOfRequest {
  private hold: BodyHold | undefined;
  private length = 0;
  private isOver = false;
  private counter: Transform | undefined;

  constructor(
    private readonly rooms: BodyRooms,
    private readonly senders: Senders,
    private readonly request: FastifyRequest,
    private readonly onRefused: () => void,
  ) {}

  /** Room for a body whose length is announced. @throws WeirError */
  expect(announced: number): Promise<void> {
    return this.reach(announced, announced);
  }

  /** A body that ends with an error once there is no room for it, or none any more. */
  counted(payload: RequestPayload): RequestPayload {
    const counter: Transform & { receivedEncodedLength?: number } = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.length += chunk.length;
        counter.receivedEncodedLength = this.length;
        this.hold?.came(chunk.length);
        if (this.length <= SMALL_BYTES || (this.hold?.taken ?? 0) >= this.length) return done(null, chunk);
        this.reach(this.length).then(
          () => done(null, chunk),
          (error: unknown) => done(error as Error),
        );
      },
      flush: (done) => {
        this.hold?.isHere();
        done();
      },
    });
    this.counter = counter;
    payload.once('error', (error) => counter.destroy(error));
    // What still comes is let pass, or the connection would stand still behind it.
    counter.once('error', () => payload.resume());
    return payload.pipe(counter);
  }

  /** The answer has ended, or its client has left. */
  takeNoMore(): void {
    this.isOver = true;
  }

  /** Gives all room back. */
  end(): void {
    this.hold?.end();
  }

  private async reach(bytes: number, announced?: number): Promise<void> {
    this.hold ??= await this.opened(announced);
    // Its client has left meanwhile: nobody would give the room back.
    if (!this.isOver && this.hold.reach(bytes)) return;
    throw this.refusal();
  }

  private async opened(announced: number | undefined): Promise<BodyHold> {
    const { request, rooms, senders } = this;
    const isStranger = !senders.wantsCredential(request);
    const party = isStranger ? senders.strangerOf(request) : await senders.of(request);
    if (party === null) throw new WeirError('authentication_error');
    const giveUp = (): void => void this.counter?.destroy(this.refusal());
    const body = { party, giveUp, ...(announced === undefined ? {} : { announced }) };
    return (isStranger ? rooms.strangers : rooms.callers).open(body);
  }

  private refusal(): WeirError {
    this.onRefused();
    return new WeirError('overloaded', { retryAfterSeconds: 1 });
  }
}
