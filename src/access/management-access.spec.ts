import type { FastifyRequest } from 'fastify';
import { ManagementAccess } from './management-access.js';
import { SESSION_COOKIE } from './session-cookie.js';
import type { MemberSession, Sessions } from './sessions.js';
import type { TokenAuthenticator } from './token-authenticator.js';

/** Access by a credential that can be ended, and a source of three pieces that counts how many were read. */
function download() {
  const state = { valid: true, read: 0, closed: false };
  const holder = { scopes: ['events:read'] };
  const session = { emailVerified: true, role: 'owner' } as MemberSession;
  const access = new ManagementAccess(
    { authenticate: () => Promise.resolve(state.valid ? holder : null) } as unknown as TokenAuthenticator,
    { peek: () => Promise.resolve(state.valid ? session : null) } as unknown as Sessions,
  );
  async function* pieces(): AsyncGenerator<string> {
    try {
      for (const piece of ['one', 'two', 'three']) {
        state.read++;
        yield await Promise.resolve(piece);
      }
    } finally {
      state.closed = true;
    }
  }
  return { access, pieces, state };
}

const requestWith = (headers: Record<string, string>): FastifyRequest => ({ headers }) as unknown as FastifyRequest;

describe('A long answer', () => {
  it.each([
    ['management token', requestWith({ authorization: 'Bearer t' })],
    ['session', requestWith({ cookie: `${SESSION_COOKIE}=s` })],
  ])('is closed before its next piece is read if its %s has ended', async (_, request) => {
    const { access, pieces, state } = download();
    const answer = access.whileAllowed(request, 'events:read', pieces());
    expect(await answer.next()).toEqual({ done: false, value: 'one' });
    state.valid = false;
    await expect(answer.next()).rejects.toMatchObject({ type: 'authentication_error' });
    expect(state).toEqual({ valid: false, read: 1, closed: true });
  });

  it('is complete if its credential stays valid', async () => {
    const { access, pieces, state } = download();
    const request = requestWith({ authorization: 'Bearer t' });
    const received: string[] = [];
    for await (const piece of access.whileAllowed(request, 'events:read', pieces())) received.push(piece);
    expect([received, state]).toEqual([['one', 'two', 'three'], { valid: true, read: 3, closed: true }]);
  });

  it('is closed for a token without the scope', async () => {
    const { access, pieces } = download();
    const answer = access.whileAllowed(requestWith({ authorization: 'Bearer t' }), 'account:admin', pieces());
    expect(await answer.next()).toEqual({ done: false, value: 'one' });
    await expect(answer.next()).rejects.toMatchObject({ type: 'authentication_error' });
  });

  it('closes its source if the client disconnects', async () => {
    const { access, pieces, state } = download();
    const answer = access.whileAllowed(requestWith({ authorization: 'Bearer t' }), 'events:read', pieces());
    await answer.next();
    await answer.return(undefined);
    expect(state).toEqual({ valid: true, read: 1, closed: true });
  });
});
