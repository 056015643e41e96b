import { newCredential } from './credential.js';
import { whyRefused } from './refused-token.js';

const token = newCredential('wt_live_').text;
const key = newCredential('sk_live_').text;

describe('a refused management token', () => {
  it.each([
    ['nothing', undefined, 'No management token was sent: send one (wt_live_…)'],
    ['an empty text', '', 'No management token was sent'],
    ['an API key', key, 'An API key was sent; this route needs a management token (wt_live_…)'],
    ["a provider's key", 'sk-ant-abcdef', 'This is not a management token: they begin with wt_live_'],
    ['one that lost its end', token.slice(0, -1), 'The management token is mistyped or cut off'],
    ['one with a wrong letter', token.replace(/.$/, '-'), 'The management token is mistyped or cut off'],
    ['a valid one that nobody holds', token, 'There is no such management token: it was deleted, has expired'],
  ])('is told apart: %s', (_, presented, said) => {
    expect(whyRefused(presented)).toContain(said);
  });

  it('is never repeated', () => {
    for (const presented of [token, key, token.slice(1), 'sk-proj-abcdef', `${key}x`])
      expect(whyRefused(presented)).not.toContain(presented.slice(8, 40));
  });
});
