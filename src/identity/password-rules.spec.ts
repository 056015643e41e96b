import fc from 'fast-check';
import { PasswordRules } from './password-rules.js';

const EMAIL = 'jane.doe.smith@example.com';

describe('a password', () => {
  const rules = new PasswordRules();
  afterAll(() => rules.close());

  it.each([
    'correct horse ' + 'battery',
    'Zug-um-halb-vier',
    'ä'.repeat(3) + ' kleine Bäume',
    'x9$kW2'.repeat(2) + 'yQ#w',
  ])('may be %j', async (password) => {
    expect(await rules.problem(password, EMAIL)).toBeNull();
  });

  it.each([
    ['elevenchars', 'at least 12'],
    ['\u{1f600}'.repeat(11), 'at least 12'],
    ['x'.repeat(129), 'at most 128'],
    [EMAIL.toUpperCase(), 'e-mail address'],
    ['aaaaaaaaaaaaaa', 'repeats'],
    ['abcabcabcabc', 'repeats'],
    ['123456789012', 'guessed first'],
    ['987654321098', 'repeats'],
    ['abcdefghijklm', 'repeats'],
    ['qwerty123456', 'guessed first'],
    ['Motherfucker', 'guessed first'],
    ['Password12345!', 'guessed first'],
    ['passwordpassword', 'repeats'],
    ['P@ssw0rd12345', 'guessed first'],
    ['1qaz2wsx3edc', 'guessed first'],
  ])('may not be %j', async (password, reason) => {
    expect(await rules.problem(password, EMAIL)).toContain(reason);
  });

  it('is checked in a worker thread, without blocking the event loop', async () => {
    let turns = 0;
    const count = setInterval(() => (turns += 1), 1);
    try {
      expect(await rules.problem('p@$$w0rd'.repeat(16), EMAIL)).toContain('guess');
    } finally {
      clearInterval(count);
    }
    expect(turns).toBeGreaterThan(2);
  });

  it('is accepted if it is random', async () => {
    await fc.assert(
      fc.asyncProperty(fc.base64String({ minLength: 20, maxLength: 40 }), async (password) => {
        fc.pre(new Set(password).size > 8);
        expect(await rules.problem(password, EMAIL)).toBeNull();
      }),
      { numRuns: 50 },
    );
  });
});
