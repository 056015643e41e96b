/** The steps of a conversation in order: the results of a step are its children. */
import type { ListedEvent } from '../events/use-events.ts';

export interface Step {
  readonly event: ListedEvent;
  /** 0 for steps that no other step caused. */
  readonly depth: number;
  readonly hasInner: boolean;
}

/**
 * Steps are nested by `parent_id`, which the client sets; a tool call without one belongs to the preceding model call of its app and
 * environment.
 *
 * @param events the oldest first
 * @param folded ids of steps whose children are hidden
 */
export function stepsOf(events: readonly ListedEvent[], folded: ReadonlySet<string>): readonly Step[] {
  const inner = new Map<string | null, ListedEvent[]>();
  const known = new Set<string>();
  const lastRequests = new Map<string, string>();
  for (const event of events) {
    const named = event.parent_id !== null && known.has(event.parent_id) ? event.parent_id : null;
    const place = `${event.environment} ${event.app.id}`;
    const parent = named ?? (event.type === 'agent.tool_call' ? (lastRequests.get(place) ?? null) : null);
    const others = inner.get(parent);
    if (others === undefined) inner.set(parent, [event]);
    else others.push(event);
    known.add(event.id);
    if (event.type === 'ai.request') lastRequests.set(place, event.id);
  }
  const steps: Step[] = [];
  // A stack instead of recursion: a chain of agents may be as deep as the session is long.
  const open = [...(inner.get(null) ?? [])].reverse().map((event) => ({ event, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { event, depth } = next;
    const within = inner.get(event.id) ?? [];
    steps.push({ event, depth, hasInner: within.length > 0 });
    if (!folded.has(event.id)) open.push(...[...within].reverse().map((each) => ({ event: each, depth: depth + 1 })));
  }
  return steps;
}
