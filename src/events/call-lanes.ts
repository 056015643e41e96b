import type { NewEvent } from './event.js';

/** Each lane stores one batch at a time: `beside` large requests, `main` all others. */
export type Lane = 'main' | 'beside';

/** A request, and the event id of the client that it claims. */
interface RequestOfCall {
  readonly event: NewEvent;
  readonly claim?: { readonly eventId: string };
}

/** A name that requests have in common, and the lane of the requests with this name. */
interface Shared {
  readonly lane: Lane;
  count: number;
}

/** The lane of a request, and a function to call when it has been stored or refused. */
export interface LanePlace {
  readonly lane: Lane;
  readonly leave: () => void;
}

/**
 * Keeps related requests in one lane while they wait or are being stored. The events of a call are counted in the order in which they are
 * stored, and a statement locks its sessions and event ids until it ends: in the other lane, a related request would be counted wrongly,
 * or would wait for the lock together with all others of its statement.
 */
export class CallLanes {
  private readonly shared = new Map<string, Shared>();

  /**
   * @param names those of `namesOf`
   * @param wanted the lane of a request without related requests
   */
  enter(names: readonly string[], wanted: Lane): LanePlace {
    // If there are related requests in both lanes, the order within the call comes first: it decides what is counted.
    const lane = this.laneOf(names) ?? wanted;
    for (const name of names) {
      const shared = this.shared.get(name);
      if (shared === undefined) this.shared.set(name, { lane, count: 1 });
      else shared.count += 1;
    }
    return { lane, leave: () => this.leave(names) };
  }

  /** The lane of the first name that other requests have. */
  private laneOf(names: readonly string[]): Lane | undefined {
    for (const name of names) {
      const shared = this.shared.get(name);
      if (shared !== undefined) return shared.lane;
    }
    return undefined;
  }

  private leave(names: readonly string[]): void {
    for (const name of names) {
      const shared = this.shared.get(name);
      if (shared === undefined) continue;
      shared.count -= 1;
      if (shared.count === 0) this.shared.delete(name);
    }
  }
}

/** The names that a request has in common with the others of its call, with its repetitions, and with the others of its session. */
export function namesOf({ event, claim }: RequestOfCall): readonly string[] {
  const { accountId, appId, environment, id, parentId, requestId, sessionId } = event;
  const names = [`event ${id}`];
  if (parentId !== undefined) names.push(`event ${parentId}`);
  const scope = `${accountId} ${appId} ${environment}`;
  if (requestId !== undefined) names.push(`request ${scope} ${requestId}`);
  if (claim !== undefined) names.push(`claim ${scope} ${claim.eventId}`);
  if (sessionId !== undefined) names.push(`session ${scope} ${sessionId}`);
  return names;
}
