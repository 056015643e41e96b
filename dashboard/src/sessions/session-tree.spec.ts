import type { ListedEvent } from '../events/use-events.ts';
import { stepsOf } from './session-tree.ts';

const event = (id: string, type: string, environment: string, app = 'a-1') =>
  ({ id, type, environment, app: { id: app, name: null }, parent_id: null }) as unknown as ListedEvent;

describe('The steps of a session', () => {
  it('contain tool calls below the last request of the same app and environment', () => {
    const events = [
      event('request', 'ai.request', 'production'),
      event('of staging', 'ai.request', 'staging'),
      event('of another app', 'ai.request', 'production', 'a-2'),
      event('tool', 'agent.tool_call', 'production'),
      event('tool without a request', 'agent.tool_call', 'development'),
    ];
    expect(stepsOf(events, new Set()).map(({ event: { id }, depth }) => [id, depth])).toEqual([
      ['request', 0],
      ['tool', 1],
      ['of staging', 0],
      ['of another app', 0],
      ['tool without a request', 0],
    ]);
  });
});
