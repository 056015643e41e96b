import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { createRestorer, normaliseValue, planRedaction, stableToken, type KeyedHash } from './index.js';

const keyed =
  (key: string): KeyedHash =>
  (text) =>
    createHmac('sha256', key).update(text).digest();
const hash = keyed('one account');

describe('stable tokens', () => {
  it('have the same form for every value', () => {
    fc.assert(
      fc.property(fc.constantFrom('EMAIL', 'aws_access_key'), fc.string(), (type, value) => {
        expect(stableToken(type, value, hash)).toMatch(new RegExp(`^\\[${type}_[bcdfghjklmnpqrstvwxz]{14}\\]$`));
      }),
    );
  });

  it('depend on type, value and account, and on nothing else', () => {
    const token = stableToken('EMAIL', 'jan@example.com', hash);
    expect(stableToken('EMAIL', 'jan@example.com', keyed('one account'))).toBe(token);
    expect(stableToken('EMAIL', 'jan@example.org', hash)).not.toBe(token);
    expect(stableToken('LOGIN', 'jan@example.com', hash).slice(-15)).not.toBe(token.slice(-15));
    expect(stableToken('EMAIL', 'jan@example.com', keyed('another account'))).not.toBe(token);
  });

  it('spread evenly over all letters', () => {
    const seen = new Set(
      Array.from({ length: 4000 }, (_, index) =>
        stableToken('T', String(index), (text) => createHash('sha256').update(text).digest()),
      ),
    );
    expect(seen.size).toBe(4000);
    expect(new Set([...seen].map((token) => token.charAt(3))).size).toBe(20);
  });

  it.each([
    ['EMAIL', 'Jan@Example.com', 'jan@example.com'],
    ['PHONE', '+49 (30) 1234-567', '+49301234567'],
    ['IBAN', 'de89 3704 0044 0532 0130 00', 'DE89370400440532013000'],
    ['CREDIT_CARD', '4111-1111 1111 1111', '4111111111111111'],
    ['PERSON', ' Jan \n Smith', 'Jan Smith'],
    ['PERSON', 'Ｊａｎ', 'Jan'],
  ])('are the same for two spellings of a %s', (type, spelling, other) => {
    expect(stableToken(type, spelling, hash)).toBe(stableToken(type, other, hash));
  });

  it('differ for secrets that differ in case or in one character', () => {
    expect(normaliseValue('api_key', 'Ab-12')).not.toBe(normaliseValue('api_key', 'ab-12'));
    expect(normaliseValue('api_key', 'ab12')).not.toBe(normaliseValue('api_key', 'ab-12'));
  });
});

describe('planRedaction with stable tokens', () => {
  const segment = (text: string, ref: number) => ({
    path: `messages[${ref}].content`,
    role: 'user' as const,
    text,
    ref,
  });
  const spec = { targets: [{ detector: 'pii', code: 'EMAIL' }], with: '', tokens: 'stable' as const };
  const mails = (texts: readonly string[]) =>
    texts.flatMap((text, index) =>
      [...text.matchAll(/\S+@\S+/g)].map((match) => ({
        detector: 'pii',
        code: 'EMAIL',
        segment: index,
        start: match.index,
        end: match.index + match[0].length,
        score: 1,
      })),
    );
  const plan = (texts: readonly string[], restore: boolean) =>
    planRedaction({
      specs: [{ ...spec, restore }],
      findings: mails(texts),
      segments: texts.map(segment),
      hash,
    });

  it('produces the same edits for a text regardless of the other texts', () => {
    const alone = plan(['write to b@x.io'], false).edits;
    const later = plan(['a@x.io and c@x.io', 'write to b@x.io'], false).edits.filter((edit) => edit.segment === 1);
    expect(later).toEqual(alone.map((edit) => ({ ...edit, segment: 1 })));
  });

  it('returns the restorable values, with the first spelling of each', () => {
    const { restorable, edits } = plan(['Jan@x.io', 'jan@x.io'], true);
    expect([...restorable]).toEqual([[edits[0]!.replacement, 'Jan@x.io']]);
    expect(createRestorer(restorable).push(edits[1]!.replacement)).toBe('Jan@x.io');
    expect(plan(['Jan@x.io'], false).restorable.size).toBe(0);
  });

  it('creates no token without a key', () => {
    const findings = mails(['a@x.io']);
    expect(() => planRedaction({ specs: [spec], findings, segments: [segment('a@x.io', 0)] })).toThrow('key');
  });
});
