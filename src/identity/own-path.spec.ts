import fc from 'fast-check';
import { MAX_OWN_PATH, ownPath } from './own-path.js';

describe('ownPath', () => {
  it.each(['/', '/events?decision=block&app=checkout', '/events/01a2#raw', '/a//b', '/über', '/?next=//x'])(
    'accepts a path of the service: %s',
    (path) => {
      const led = ownPath(path);
      expect(led).toBeDefined();
      expect(new URL(led!, 'https://weir.example').origin).toBe('https://weir.example');
    },
  );

  it.each([
    ...[
      '',
      'events',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'https://evil.example',
      'javascript:alert(1)',
    ],
    ...['/\t/evil.example', '/\n/evil.example', '/..//evil.example', '/.//evil.example', '/%2e//evil.example', '/a\\b'],
    ...[' /events', undefined, null, 7, ['/events']],
  ])('rejects everything else: %j', (path) => {
    expect(ownPath(path)).toBeUndefined();
  });

  it('accepts the address of a list that is searched for a long text of any script', () => {
    const path = `/events?q=${encodeURIComponent('価'.repeat(300))}`;
    expect(path.length).toBeGreaterThan(2_000);
    expect(ownPath(path)).toBe(path);
  });

  it('never becomes longer than it may be, so that the form with it can be sent', () => {
    expect(ownPath(`/${'a'.repeat(MAX_OWN_PATH)}`)).toBeUndefined();
    // A browser encodes each of these letters with nine characters.
    expect(ownPath(`/events?q=${'価'.repeat(MAX_OWN_PATH / 2)}`)).toBeUndefined();
    expect(ownPath(`/events?q=${'価'.repeat(300)}`)?.length).toBeLessThanOrEqual(MAX_OWN_PATH);
  });

  it('never leaves the origin, whatever the input', () => {
    const sign = fc.constantFrom(
      '/',
      '\\',
      '.',
      '%2e',
      '%2f',
      '@',
      ':',
      '\t',
      '\r',
      'a',
      '?',
      '#',
      '\u0000',
      'evil.example',
    );
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 12 }), (signs) => {
        const led = ownPath(signs.join(''));
        if (led !== undefined) expect(new URL(led, 'https://weir.example').origin).toBe('https://weir.example');
      }),
    );
  });
});
