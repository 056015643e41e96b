import { BUDGET_ADJUSTMENT } from './budget-api.js';

const adjusted = (because: string): boolean =>
  BUDGET_ADJUSTMENT.safeParse({ period_id: '00000000-0000-4000-8000-000000000001', amount: '5', because }).success;

describe('The correction of a budget', () => {
  it.each(['TICKET-7', 'Doppelt berechnet', '二重請求', 'line one\nline two'])('accepts %j as reason', (because) => {
    expect(adjusted(because)).toBe(true);
  });

  it.each(['', ' \t\n', '\u00a0\u200b', '\u3164', '…', 'double\0charge'])('refuses %j as reason', (because) => {
    expect(adjusted(because)).toBe(false);
  });
});
