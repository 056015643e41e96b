import { readFileSync } from 'node:fs';
import { PLUGINS } from '../../plugins/index.js';
import { Inquiries } from './inquiries.js';
import type { PolicyTexts } from './tasks.js';

const files = ['production/policy.yaml', '_shared/baseline.yaml', '_shared/lists.yaml'].map((path) => ({
  path,
  text: readFileSync(`policies/${path}`, 'utf8'),
}));
const policy: PolicyTexts = { key: 'shipped', environment: 'production', files, tests: null };
const NOW_MS = Date.parse('2026-11-22T00:00:00Z');

describe('questions about policies, in a thread', () => {
  const inquiries = new Inquiries(PLUGINS, { packages: [] });
  afterAll(() => inquiries.onApplicationShutdown());

  it('are answered by the plugins of the service, without the text of findings', async () => {
    const text = 'Write to somebody@example.com about it.';
    const answer = await inquiries.ask('account', 'evaluate', { policy, call: { text }, nowMs: NOW_MS });
    expect([answer.decision, answer.text]).toEqual([
      'redact',
      expect.stringMatching(/^Write to \[EMAIL.*\] about it\.$/),
    ]);
    expect(JSON.stringify(answer)).not.toContain('somebody@');
  }, 60_000);

  it('leave the event loop free while a long text is read', async () => {
    const text = 'a number 4111 1111 1111 1111 and a word. '.repeat(4_000);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const { decision } = await inquiries.ask('account', 'evaluate', { policy, call: { text }, nowMs: NOW_MS });
    clearInterval(timer);
    expect(decision).not.toBe('unavailable');
    expect(turns).toBeGreaterThan(2);
  }, 60_000);

  it('are refused per account if too many are asked at once', async () => {
    const ask = () => inquiries.ask('busy', 'evaluate', { policy, call: { text: 'hello' }, nowMs: NOW_MS });
    const asked = await Promise.allSettled(Array.from({ length: 20 }, ask));
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as { type: string }] : []));
    expect(refused.map(({ type }) => type)).toEqual(Array(4).fill('rate_limit_exceeded'));
    const other = inquiries.ask('calm', 'evaluate', { policy, call: { text: 'hello' }, nowMs: NOW_MS });
    expect((await other).decision).toBe('allow');
  }, 60_000);
});
