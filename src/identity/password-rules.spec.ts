import fc from 'fast-check';
import { passwordProblem } from './password-rules.js';

const EMAIL = 'jane.doe.smith@example.com';

describe('a password', () => {
  it.each([
    'correct horse ' + 'battery',
    'Zug-um-halb-vier',
    'ä'.repeat(3) + ' kleine Bäume',
    'x9$'.repeat(3) + 'yQ#w',
  ])('may be %j', async (password) => {
    expect(await passwordProblem(password, EMAIL)).toBeNull();
  });

  it.each([
    ['elevenchars', 'at least 12'],
    ['\u{1f600}'.repeat(11), 'at least 12'],
    ['x'.repeat(129), 'at most 128'],
    [EMAIL.toUpperCase(), 'e-mail address'],
    ['aaaaaaaaaaaaaa', 'repeats'],
    ['abcabcabcabc', 'repeats'],
    ['123456789012', 'repeats'],
    ['987654321098', 'repeats'],
    ['abcdefghijklm', 'repeats'],
    ['qwerty123456', 'guessed first'],
    ['Motherfucker', 'guessed first'],
    ['Password12345!', 'guessed first'],
    ['passwordpassword', 'guessed first'],
  ])('may not be %j', async (password, reason) => {
    expect(await passwordProblem(password, EMAIL)).toContain(reason);
  });

  it('is taken when it was made by chance', async () => {
    await fc.assert(
      fc.asyncProperty(fc.base64String({ minLength: 20, maxLength: 40 }), async (password) => {
        fc.pre(new Set(password).size > 8);
        expect(await passwordProblem(password, EMAIL)).toBeNull();
      }),
      { numRuns: 50 },
    );
  });
});
