import { answerLink, linkedSession, linkKey } from './answer-link.js';
import { sessionKey } from './session-key.js';

const WHOSE = { accountId: 'a', appId: 'b', environment: 'production' as const };

describe('the link from an answer to its session', () => {
  it('is readable only with the id of the answer', () => {
    const { sealed, digest } = answerLink('resp_1', 'ann@example.com');
    expect(linkedSession('resp_1', sealed)).toBe('ann@example.com');
    expect(() => linkedSession('resp_2', sealed)).toThrow();
    expect(Buffer.from(sealed, 'base64url').includes('ann')).toBe(false);
    expect(linkKey(WHOSE, 'resp_1').digest).toBe(digest);
  });

  it('is stored under another key than a session whose id equals the id of the answer', () => {
    expect(linkKey(WHOSE, 'resp_1').digest).not.toBe(sessionKey(WHOSE, 'resp_1').digest);
  });
});
