import type { FastifyRequest } from 'fastify';

/** `operator`: a person who runs commands on the server; `system`: the service itself. */
export const ACTOR_KINDS = ['person', 'token', 'operator', 'system'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Who acts, and from where. One object per request: what it records is remembered under it. */
export interface Actor {
  readonly kind: ActorKind;
  /** A person's id or a token's public id; null for operator and system. */
  readonly id: string | null;
  /** The client's address, as far as `WEIR_TRUST_PROXY` lets it be known; null outside requests. */
  readonly address: string | null;
  readonly userAgent: string | null;
}

const MAX_USER_AGENT = 256;
/** Kept beside the request: the guard that finds the actor out and the routes that record share nothing else. */
const actors = new WeakMap<FastifyRequest, Actor>();

/** Says who a request turned out to come from. The latest word counts. */
export function noteActor(request: FastifyRequest, kind: ActorKind, id: string | null): Actor {
  const actor = { kind, id, address: request.ip, userAgent: userAgentOf(request) };
  actors.set(request, actor);
  return actor;
}

/** Who a request comes from. @throws Error when nobody has found out: a mistake of ours, never of the client */
export function actorOf(request: FastifyRequest): Actor {
  const actor = actors.get(request);
  if (actor === undefined) throw new Error('the route has not found out who acts');
  return actor;
}

/** Like `actorOf`, for those who only look: undefined when nobody has found out. */
export function knownActorOf(request: FastifyRequest): Actor | undefined {
  return actors.get(request);
}

/** Somebody who acts without a request: a command on the server, or the service itself. */
export function actorWithoutRequest(kind: 'operator' | 'system'): Actor {
  return { kind, id: null, address: null, userAgent: null };
}

/** One line, short: it is the client's word and is shown to people. */
function userAgentOf({ headers }: FastifyRequest): string | null {
  const text = headers['user-agent']?.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_USER_AGENT);
  return text === undefined || text === '' ? null : text;
}
