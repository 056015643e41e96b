import { destinationsIn, destinationsOfArguments } from './destinations.js';

const hostsIn = (text: string): string[] =>
  destinationsIn(text).flatMap(({ kind, value }) => (kind === 'url' ? [value] : []));

describe('The host of a URL', () => {
  it.each([
    ['a name and a password', `https://good.example:${'secret'}@evil.example/c`, ['evil.example']],
    ['a long name', `https://good.example:${'A'.repeat(300)}@evil.example/c?d=1`, ['evil.example']],
    ['a port', 'https://good.example:8443/x', ['good.example']],
    ['a question mark before a sign', 'https://good.example?mail=@evil.example', ['good.example']],
    ['a fragment before a sign', 'https://good.example#@evil.example', ['good.example']],
    ['several signs', 'https://a@b@evil.example/x', ['evil.example']],
    ['escaped slashes', String.raw`https:\/\/evil.example\/x`, ['evil.example']],
    ['a list', 'https://a.example,https://b.example/x', ['a.example', 'b.example']],
    ['punctuation behind it', 'see (https://good.example), now', ['good.example']],
    ['an address of IPv6', 'http://[2001:db8::1]:80/x', ['[2001:db8::1]']],
    ['recipients of a mail', 'mailto:a@one.example,b@two.example', ['one.example', 'two.example']],
  ])('is what programs connect to, with %s', (_what, text, hosts) => {
    expect(hostsIn(text)).toEqual(hosts);
  });

  it.each(['\\', "'", '"', '<'])('is ambiguous with %s before a sign: both hosts count', (mark) => {
    expect(hostsIn(`https://good.example${mark}@evil.example/x`)).toEqual(['good.example', 'evil.example']);
  });

  it('is unknown in a URL that is too long, so that there may be further destinations', () => {
    const url = `https://good.example:${'A'.repeat(600)}@evil.example/c`;
    for (const embedded of [true, false])
      expect(destinationsOfArguments({ args: { x: url } }, embedded).isComplete).toBe(false);
    expect(hostsIn(url)).not.toContain('good.example');
    expect(destinationsOfArguments({ args: { x: `see ${url}` } }, false).isComplete).toBe(true);
    expect(destinationsOfArguments({ args: { x: `https://good.example/${'A'.repeat(600)}` } }, true).isComplete).toBe(
      true,
    );
  });
});
