import { hashPassword, verifyPassword } from './password-hash.js';

describe('a password hash', () => {
  const password = 'correct horse ' + 'battery staple';

  it('matches its password and no other', async () => {
    const hash = await hashPassword(password);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await verifyPassword(password, hash)).toBe(true);
    expect(await verifyPassword(`${password} `, hash)).toBe(false);
  });

  it('differs each time', async () => {
    expect(await hashPassword(password)).not.toBe(await hashPassword(password));
  });

  it('matches nothing if it has another format', async () => {
    expect(await verifyPassword(password, '$2b$10$abcdefghijklmnopqrstuv')).toBe(false);
    expect(await verifyPassword(password, '')).toBe(false);
  });
});
