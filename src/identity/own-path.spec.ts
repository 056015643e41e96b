import fc from 'fast-check';
import { ownPath } from './own-path.js';

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
    ...[`/${'a'.repeat(1_001)}`, ' /events', undefined, null, 7, ['/events']],
  ])('rejects everything else: %j', (path) => {
    expect(ownPath(path)).toBeUndefined();
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
