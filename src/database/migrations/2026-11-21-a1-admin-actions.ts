import { Migration } from '@mikro-orm/migrations';

/** The admin audit log: who changed what of an account, when, and from where. It only grows. */
export class AdminActions extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('DROP TABLE admin_actions');
    this.addSql('DROP FUNCTION admin_actions_only_grow');
  }
}

const STATEMENTS = [
  // Ids are of version 7: their order is the order of time.
  `CREATE TABLE admin_actions (
    account_id uuid NOT NULL REFERENCES accounts (id),
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    actor_kind text NOT NULL CHECK (actor_kind IN ('person', 'token', 'operator', 'system')),
    actor_id text,
    action text NOT NULL,
    subject text,
    details json NOT NULL,
    address text,
    user_agent text,
    PRIMARY KEY (account_id, id)
  )`,
  `CREATE FUNCTION admin_actions_only_grow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the admin audit log only grows' USING ERRCODE = 'restrict_violation'; END
  $$`,
  `CREATE TRIGGER admin_actions_only_grow BEFORE UPDATE OR DELETE ON admin_actions
    FOR EACH ROW EXECUTE FUNCTION admin_actions_only_grow()`,
];
