import type { Actor } from '../admin-audit/index.js';
import type { AppLimits } from './app-limits.js';
import type { Environment, TokenScope } from '../core/index.js';
import type { MemberSession } from './sessions.js';

/** The sender of a call, determined by the key alone, never by a header or the body. */
export interface Caller {
  readonly accountId: string;
  readonly appId: string;
  readonly appName: string;
  /** The key's public id (12 characters); may be logged. */
  readonly keyId: string;
  readonly keyName: string;
  readonly environment: Environment;
  /** What the app wants less of than the operator allows. */
  readonly limits?: AppLimits;
}

/** Who manages: the holder of a management token. */
export interface Manager {
  readonly accountId: string;
  readonly tokenId: string;
  readonly scopes: readonly TokenScope[];
  /** Set when the token is bound to one environment. */
  readonly environment?: Environment;
}

/** Whoever manages, in the middle of a request: what they do is recorded under `actor`. */
export interface ActingManager {
  readonly accountId: string;
  readonly scopes: readonly TokenScope[];
  /** Set when they may manage one environment only. */
  readonly environment?: Environment;
  /** Set when it is a member. */
  readonly session?: MemberSession;
  readonly actor: Actor;
}

/** What somebody may read: an account, or one environment of it. */
export type Reach = Pick<ActingManager, 'accountId' | 'environment'>;

/** The holder of a management token in the middle of a request. */
export type ActingToken = Manager & ActingManager;

/** A member who has signed in, in the middle of a request. */
export interface ActingMember extends ActingManager {
  readonly session: MemberSession;
}
