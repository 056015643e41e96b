import type { FastifyRequest } from 'fastify';

/** `operator`: a person who runs commands on the server; `system`: the service itself. */
export const ACTOR_KINDS = ['person', 'token', 'operator', 'system'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/**
 * The actor and the origin of an action. There is one object per request; it is the key under which the request's recorded actions are
 * found.
 */
export interface Actor {
  readonly kind: ActorKind;
  /** A person's id or a token's public id; null for operator and system. */
  readonly id: string | null;
  /** The client's address, as determined with `WEIR_TRUST_PROXY`; null outside requests. */
  readonly address: string | null;
  readonly userAgent: string | null;
}

const MAX_USER_AGENT = 256;
/** Keyed by the request, because the guard that determines the actor and the routes that record share nothing else. */
const actors = new WeakMap<FastifyRequest, Actor>();

/** Sets the actor of a request. The latest call counts. */
export function noteActor(request: FastifyRequest, kind: ActorKind, id: string | null): Actor {
  const actor = { kind, id, address: request.ip, userAgent: userAgentOf(request) };
  actors.set(request, actor);
  return actor;
}

/** The actor of a request. @throws Error when none is set: a mistake of the service, never of the client */
export function actorOf(request: FastifyRequest): Actor {
  const actor = actors.get(request);
  if (actor === undefined) throw new Error('the route has not determined the actor');
  return actor;
}

/** Like `actorOf`, but undefined when no actor is set. */
export function knownActorOf(request: FastifyRequest): Actor | undefined {
  return actors.get(request);
}

/** An actor without a request: a command on the server, or the service itself. */
export function actorWithoutRequest(kind: 'operator' | 'system'): Actor {
  return { kind, id: null, address: null, userAgent: null };
}

/** The client's user agent as one short line of ASCII, because the client chooses it and it is shown to people. */
function userAgentOf({ headers }: FastifyRequest): string | null {
  const text = headers['user-agent']?.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_USER_AGENT);
  return text === undefined || text === '' ? null : text;
}
