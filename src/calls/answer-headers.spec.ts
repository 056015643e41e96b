import { headerTextsOf, isPlainHeader } from './answer-headers.js';

const TOKEN = 'ghp' + '_x7Kq2mZt9LwYb4RfNs8VcD1hJ6gP3uEaQ0iT';
const AWS_KEY = ['AKIA', 'Z7QF3M', 'XK2LTW', 'P4VB'].join('');

/** Headers of answers of providers, and of the networks in front of them. */
const USUAL: readonly (readonly [name: string, value: string])[] = [
  ['content-type', 'application/json'],
  ['content-type', 'text/event-stream; charset=utf-8'],
  ['content-type', 'application/vnd.amazon.eventstream'],
  ['date', 'Mon, 30 Nov 2026 16:36:37 GMT'],
  ['x-request-id', 'req_1f0c7d9e2b3a4c5d6e7f8091a2b3c4d5'],
  ['x-request-id', '1f0c7d9e-2b3a-4c5d-8e7f-8091a2b3c4d5'],
  ['x-request-id', '1f0c7d9e2b3a4c5d6e7f8091a2b3c4d5'],
  ['request-id', 'req_011CSHoEeqs5C35K2UUqR7Fy'],
  ['apim-request-id', '1f0c7d9e-2b3a-4c5d-8e7f-8091a2b3c4d5'],
  ['openai-organization', 'user-a1b2c3d4e5f6g7h8i9j0k1l2'],
  ['openai-organization', 'org-Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8'],
  ['openai-project', 'proj_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8'],
  ['openai-model', 'gpt-4o-2024-08-06'],
  ['openai-version', '2020-10-01'],
  ['openai-processing-ms', '1234'],
  ['anthropic-organization-id', '1f0c7d9e-2b3a-4c5d-8e7f-8091a2b3c4d5'],
  ['anthropic-ratelimit-tokens-limit', '80000000'],
  ['anthropic-ratelimit-tokens-reset', '2026-11-30T16:36:37Z'],
  ['x-ratelimit-limit-tokens', '150000000'],
  ['x-ratelimit-remaining-requests', '9999'],
  ['x-ratelimit-reset-requests', '6m0s'],
  ['x-ratelimit-reset-tokens', '1h2m3.5s'],
  ['x-ratelimit-reset', '1700000000'],
  ['retry-after', '17'],
  ['retry-after-ms', '1700'],
  ['x-should-retry', 'true'],
  ['x-envoy-upstream-service-time', '345'],
  ['x-compute-time', '1.234'],
  ['cf-ray', '8f1a2b3c4d5e6f70-FRA'],
  ['cf-cache-status', 'DYNAMIC'],
  ['server', 'cloudflare'],
  ['server', 'gunicorn/20.0.4'],
  ['via', '1.1 google'],
  ['vary', 'Accept-Encoding, Origin'],
  ['cache-control', 'no-cache, no-store, max-age=31536000'],
  ['etag', 'W/"1a2b3c-4d5e6f"'],
  ['content-disposition', 'attachment; filename="speech.mp3"'],
  ['server-timing', 'gfet4t7; dur=1234'],
  ['server-timing', 'cfL4;desc="?proto=TCP&rtt=31443&min_rtt=31443&cwnd=33&cid=8f1a2b3c4d5e6f70&ts=0&x=0"'],
  ['traceparent', '00-1f0c7d9e2b3a4c5d6e7f8091a2b3c4d5-8f1a2b3c4d5e6f70-01'],
  ['x-vercel-id', 'fra1::abc1d-1700000000000-0123456789ab'],
  ['x-cache-hits', '0, 0'],
  ['x-robots-tag', 'none'],
];

describe('a header of an answer', () => {
  it.each(USUAL)('is plain if it is usual: %s: %s', (name, value) => {
    expect(isPlainHeader(name, value)).toBe(true);
  });

  it.each([TOKEN, AWS_KEY, '4111111111111111', 'anna@example.org', 'two words here', `W/"${AWS_KEY}"`])(
    'is never plain with another value, whatever its name: %s',
    (value) => {
      const names = new Set(USUAL.map(([name]) => name));
      for (const name of names) expect([name, isPlainHeader(name, value)]).toEqual([name, false]);
    },
  );

  it.each([
    ['content-disposition', `attachment; filename="${AWS_KEY}.txt"`],
    ['content-disposition', `attachment; filename*=UTF-8''${AWS_KEY}.txt`],
    ['server-timing', `db;desc="${AWS_KEY}"`],
    ['server-timing', `${AWS_KEY};dur=1`],
    ['openai-organization', `org-${AWS_KEY}`],
    ['x-request-id', `req_${TOKEN}`],
    ['cache-control', `no-cache, ${TOKEN}`],
    ['x-count', '4111111111111111'],
  ])('is not plain if a part of it is a credential: %s: %s', (name, value) => {
    expect(isPlainHeader(name, value)).toBe(false);
  });

  it('is a text with its name as the key and the place, without escapes', () => {
    expect(headerTextsOf('x-note', 'to%20anna+b', 3)).toEqual([
      { name: 'x-note', text: { path: 'headers.x-note', role: 'metadata', text: 'to anna+b', ref: -1, key: 'x-note' } },
    ]);
    expect(headerTextsOf('x-note', Buffer.from('zu Jürgen').toString('latin1'), 3)[0]?.text.text).toBe('zu Jürgen');
    expect(headerTextsOf('x-note', '\u4f60\u597d', 3)[0]?.text.text).toBe('\u4f60\u597d');
  });

  it('is named by its position if its name is not plain, which is then a text as well', () => {
    const name = `x-${TOKEN.toLowerCase()}`;
    expect(headerTextsOf(name, 'yes', 3).map(({ text: { path, text, key } }) => [path, text, key])).toEqual([
      ['headers.3', name, undefined],
      ['headers.3', 'yes', undefined],
    ]);
    expect(isPlainHeader(name, 'yes')).toBe(false);
  });
});
