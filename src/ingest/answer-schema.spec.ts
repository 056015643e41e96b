import { errorAnswer, WeirError } from '../http/index.js';
import { REFUSED } from './answer-schema.js';

describe('The documented answer to a refused event', () => {
  it.each(['content_policy_violation', 'tool_use_blocked', 'budget_exceeded'] as const)('includes %s', (type) => {
    const refused = new WeirError(type, { decision: 'block', violations: [], eventId: 'event-1' });
    const { status, body } = errorAnswer(refused, 'trace-1', 'http://weir.example');
    expect([status, REFUSED.safeParse(JSON.parse(body)).error]).toEqual([400, undefined]);
  });
});
