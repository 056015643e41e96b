import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openDatabase } from '../../src/database/index.js';
import { newEmbeddedDataDir } from '../support/embedded-template.js';

const ACCOUNT = '00000000-0000-4000-8000-000000000001';

describe('The migration that tells people from accounts', () => {
  it('makes the owner of an account that was there before, and takes it back', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'weir-people-'));
    await newEmbeddedDataDir(dataDir);
    const database = await openDatabase({ kind: 'embedded', dataDir });
    try {
      const { sql, orm } = database;
      await orm.migrator.up({ to: '2026-11-21-a1-admin-actions' });
      await sql.query(
        `INSERT INTO accounts (id, email, status, password_hash, email_verified_at, subscription_state, created_at)
         VALUES ('${ACCOUNT}', 'Admin@localhost', 'active', 'hash', now(), 'active', now())`,
      );
      await migrate(database);
      expect(
        await sql.query(
          `SELECT m.account_id::text AS account, m.role, p.email, p.email_key, p.password_hash AS hash,
                  p.email_verified_at IS NOT NULL AS verified
           FROM memberships m JOIN people p ON p.id = m.person_id`,
        ),
      ).toEqual([
        {
          account: ACCOUNT,
          role: 'owner',
          email: 'Admin@localhost',
          email_key: 'admin@localhost',
          hash: 'hash',
          verified: true,
        },
      ]);
      await orm.migrator.down({ to: '2026-11-21-a1-admin-actions' });
      expect(await sql.query('SELECT email, password_hash AS hash FROM accounts')).toEqual([
        { email: 'Admin@localhost', hash: 'hash' },
      ]);
    } finally {
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
