import { newCredential } from './credential.js';
import { whyRefused } from './refused-credential.js';

const token = newCredential('wt_live_').text;
const key = newCredential('sk_live_').text;

describe('a refused credential', () => {
  it.each([
    ['nothing', undefined, 'token', 'No management token was sent (wt_live_…, in `Authorization: Bearer`)'],
    ['nothing', '', 'key', 'No API key was sent'],
    ['an API key as a token', key, 'token', 'An API key was sent, and this takes a management token (wt_live_…)'],
    ['a token as an API key', token, 'key', 'A management token was sent, and this takes an API key (sk_live_… or'],
    [
      "a provider's key",
      'sk-proj-abcdef',
      'key',
      'What was sent is no API key, which begins with sk_live_ or sk_test_',
    ],
    ["a provider's key", 'sk-ant-abcdef', 'token', 'What was sent is no management token, which begins with wt_live_'],
    ['one that lost its end', token.slice(0, -1), 'token', 'The management token is mistyped or cut off'],
    ['one with a wrong letter', key.replace(/.$/, '-'), 'key', 'The API key is mistyped or cut off'],
    [
      'a good one that nobody holds',
      token,
      'token',
      'There is no such management token: it was deleted or has expired',
    ],
    ['a good one that nobody holds', key, 'key', 'There is no such API key: it was deleted or has expired'],
  ] as const)('is told apart: %s', (_, presented, wanted, said) => {
    expect(whyRefused(presented, wanted)).toContain(said);
  });

  it('is never repeated', () => {
    for (const presented of [token, key, token.slice(1), 'sk-proj-abcdef', `${key}x`])
      expect(whyRefused(presented, 'token')).not.toContain(presented.slice(8, 40));
  });
});
