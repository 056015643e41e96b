import fc from 'fast-check';
import { readEmailAddress } from './email-address.js';

describe('an e-mail address', () => {
  it.each([
    ['Jane.Doe@Example.COM', 'jane.doe@example.com'],
    [' jane@example.com ', 'jane@example.com'],
    ['jane+shop@example.com', 'jane+shop@example.com'],
    ['info@bücher.example', 'info@xn--bcher-kva.example'],
    ['INFO@XN--BCHER-KVA.example', 'info@xn--bcher-kva.example'],
    ['admin@localhost', 'admin@localhost'],
    ['o\u2019neil@example.com', 'o\u2019neil@example.com'],
  ])('that was typed as %j is compared as %j', (typed, key) => {
    expect(readEmailAddress(typed)?.key).toBe(key);
  });

  it('keeps the case that it was typed in', () => {
    expect(readEmailAddress('Jane@Example.com')?.typed).toBe('Jane@Example.com');
  });

  it.each([
    '',
    '@',
    'jane',
    '@example.com',
    'jane@',
    'jane@exa mple.com',
    'jane doe@example.com',
    'jane\r\nBcc: all@example.com',
    'jane@example.com\r\nBcc: x@example.com',
    'jane@example.com,joe@example.com',
    '"jane"@example.com',
    'Jane <jane@example.com>',
    'jane@@example.com',
    '.jane@example.com',
    'ja..ne@example.com',
    'jane@-example.com',
    'jane@[127.0.0.1]',
    'jane@example.com/x.example.net',
    'jane@example.com#1',
    'jane@example.com?x',
    'jane@example.com\\x',
    'jane@ex\u00adample.com',
    'jane@%65xample.com',
    `${'x'.repeat(65)}@example.com`,
    `jane@${'x'.repeat(300)}.com`,
  ])('is not %j', (text) => {
    expect(readEmailAddress(text)).toBeNull();
  });

  it('has a normalised key that stays the same when it is normalised again, and a typed form without line breaks', () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: 'binary' })), (text) => {
        const address = readEmailAddress(text);
        if (address === null) return;
        expect(readEmailAddress(address.key)?.key).toBe(address.key);
        expect(address.typed).not.toMatch(/[\r\n]/);
      }),
    );
  });
});
