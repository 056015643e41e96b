import type { AuditEntry } from '../api/types.ts';
import { sentence } from './sentences.ts';

const entry = (action: string, details: Readonly<Record<string, unknown>> = {}): AuditEntry =>
  ({ action, details, subject: 'production' }) as unknown as AuditEntry;

describe('An entry of the audit log', () => {
  it.each([
    ['email.change_requested', 'asked to change the e-mail address'],
    ['erasure.requested', 'requested an erasure'],
    ['erasure.tried', 'tried an erasure without erasing anything'],
    ['erasure.completed', 'completed an erasure'],
    ['session.reauthenticated', 'entered the password again'],
    ['subscription.checkout_opened', 'opened the payment page'],
    ['subscription.portal_opened', 'opened the billing portal'],
  ])('continues the name of the actor as a sentence: %s', (action, words) => {
    expect(sentence(entry(action))).toBe(words);
  });

  it('contains the name, the environment and the reason', () => {
    expect(sentence(entry('key.created', { name: 'checkout', environment: 'staging' }))).toBe(
      'created a key checkout, staging',
    );
    expect(sentence(entry('policy.rolled_back', { number: 7, because: 'SEC-1' }))).toBe(
      'rolled production back (#7): “SEC-1”',
    );
  });

  it('with an action that this version does not know is shown by its name', () => {
    expect(sentence(entry('member.invited_again'))).toBe('member invited again');
  });
});
