import fc from 'fast-check';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readEmailAddress } from '../access/index.js';
import { AuthLimits } from './auth-limits.js';
import type { RateLimits } from './rate-limits.js';

/** The keys under which attempts at accounts with these names are counted. */
async function keysOf(...accounts: readonly string[]): Promise<Set<string>> {
  const keys = new Set<string>();
  const limits = { take: (_name: string, key: string) => Promise.resolve(void keys.add(key)) };
  const attempts = new AuthLimits(limits as unknown as RateLimits);
  const request = { ip: '192.0.2.1' } as FastifyRequest;
  for (const account of accounts) await attempts.attempt('login', account, request, {} as FastifyReply);
  return keys;
}

describe('attempts at an account', () => {
  it.each([
    ['case', 'Jane@Example.com', 'jane@example.com'],
    ['blanks around it', '\u2003jane@example.com\n', 'jane@example.com'],
    ['a domain in Punycode', 'ü@bücher.example', 'ü@xn--bcher-kva.example'],
    ['a letter and its accent as two characters', 'jos\u00e9@example.com', 'jose\u0301@example.com'],
  ])('are counted together if two spellings of the address differ by %s', async (_, spelling, other) => {
    expect((await keysOf(spelling, other)).size).toBe(1);
  });

  it('are counted together exactly if the spellings are addresses of the same account', async () => {
    const variants = fc
      .tuple(fc.emailAddress(), fc.constantFrom('', ' ', '\t'), fc.constantFrom('NFC', 'NFD'), fc.boolean())
      .map(([email, blank, form, isLoud]) => [email, blank + (isLoud ? email.toUpperCase() : email).normalize(form)]);
    await fc.assert(
      fc.asyncProperty(variants, async ([email = '', spelling = '']) => {
        const isSame = readEmailAddress(email)?.key === readEmailAddress(spelling)?.key;
        expect((await keysOf(email, spelling)).size === 1).toBe(isSame);
      }),
    );
  });

  it('are counted apart for names that are not addresses', async () => {
    expect((await keysOf('a person', 'another person')).size).toBe(2);
  });
});
