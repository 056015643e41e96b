import { Migration } from '@mikro-orm/migrations';

/** Signatures of bundles bear a number that only grows, and stand with the deployment that they allowed. */
export class BundleSerials extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE policy_deployments ADD COLUMN serial bigint CHECK (serial > 0)');
    this.addSql('ALTER TABLE policy_deployments ADD COLUMN signatures text');
  }

  override down(): void {
    this.addSql('ALTER TABLE policy_deployments DROP COLUMN signatures');
    this.addSql('ALTER TABLE policy_deployments DROP COLUMN serial');
  }
}
