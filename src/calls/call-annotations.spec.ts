import fc from 'fast-check';
import { WeirError } from '../http/index.js';
import { callAnnotations } from './call-annotations.js';

const SESSION_ID = /^[\x21-\x7e]{1,256}$/;

/** The path of the refusal that these headers cause. */
function refusedPath(headers: Record<string, string>): string | undefined {
  try {
    callAnnotations(headers, 'conversation');
    return undefined;
  } catch (error) {
    if (!(error instanceof WeirError) || error.type !== 'invalid_request') throw error;
    return error.options.details?.[0]?.path;
  }
}

describe('The session of a proxied call', () => {
  it.each([
    ['a space', 'session 1'],
    ['a letter outside ASCII', 's\u00e9ance'],
    ['more than 256 characters', 's'.repeat(257)],
    ['a tab', 'a\tb'],
  ])('is refused if it contains %s, so that no rule silently ignores the session', (_what, session) => {
    expect(refusedPath({ 'x-service-session': session })).toBe('x-service-session');
  });

  it('is the same whether the header is sent once or several times with the same value', () => {
    for (const [header, sessionId] of [
      ['a, a', 'a'],
      ['a, a, a', 'a'],
      ['a,b, a,b', 'a,b'],
    ] as const)
      // prettier-ignore
      expect(callAnnotations({ 'x-service-session': header }).sessionId).toBe(sessionId);
    for (const header of ['a, b', 'a, a, b', 'a, ', ', ', 'a b, a b'])
      expect(refusedPath({ 'x-service-session': header })).toBe('x-service-session');
  });

  it('is either used unchanged or refused', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 300, unit: 'binary-ascii' }), (session) => {
        fc.pre(!session.includes(', '));
        const headers = { 'x-service-session': session };
        if (!SESSION_ID.test(session)) expect(refusedPath(headers)).toBe('x-service-session');
        else expect(callAnnotations(headers).sessionId).toBe(session);
      }),
    );
  });

  it('is taken from headers that clients send without configuration, or from the conversation, if the header is absent or empty', () => {
    const own = { 'x-claude-code-session-id': 'c-1' };
    expect(callAnnotations({ ...own, 'x-service-session': 's-1' }, 'conversation').sessionId).toBe('s-1');
    expect(callAnnotations({ ...own, 'x-service-session': '' }, 'conversation').sessionId).toBe('c-1');
    expect(callAnnotations({ 'x-claude-code-session-id': 'not an id' }, 'conversation').sessionId).toBe('conversation');
    expect(callAnnotations({}).sessionId).toBeUndefined();
  });
});
