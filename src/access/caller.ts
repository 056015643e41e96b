import type { Actor } from '../admin-audit/index.js';
import type { AppLimits } from './app-limits.js';
import type { Environment, TokenScope } from '../core/index.js';
import type { MemberSession } from './sessions.js';

/** The sender of a call, determined by the key alone, never by another header or the body. */
export interface Caller {
  readonly accountId: string;
  readonly appId: string;
  readonly appName: string;
  /** The key's public id (12 characters); may be logged. */
  readonly keyId: string;
  readonly keyName: string;
  readonly environment: Environment;
  /** The limits of the app that are lower than the operator's. */
  readonly limits?: AppLimits;
}

/** The holder of a management token. */
export interface Manager {
  readonly accountId: string;
  readonly tokenId: string;
  readonly scopes: readonly TokenScope[];
  /** Set when the token is bound to one environment. */
  readonly environment?: Environment;
  /** Set when the token expires: milliseconds since the epoch. */
  readonly expiresAtMs?: number;
}

/** A manager during a request; their actions are recorded under `actor`. */
export interface ActingManager {
  readonly accountId: string;
  readonly scopes: readonly TokenScope[];
  /** Set when the manager may manage one environment only. */
  readonly environment?: Environment;
  /** Set when the manager is a token that expires, in milliseconds since the epoch: the tokens that it creates expire no later. */
  readonly expiresAtMs?: number;
  /** Set when the manager is a member. */
  readonly session?: MemberSession;
  readonly actor: Actor;
}

/** The data that a manager may read: an account, or one environment of it. */
export type Reach = Pick<ActingManager, 'accountId' | 'environment'>;

/** The holder of a management token during a request. */
export type ActingToken = Manager & ActingManager;

/** A signed-in member during a request. */
export interface ActingMember extends ActingManager {
  readonly session: MemberSession;
}
