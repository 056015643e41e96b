import { Migration } from '@mikro-orm/migrations';

/** People deploy, too: a deployment names a management token or a person. */
export class DeployedBy extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE policy_deployments ALTER COLUMN token_id DROP NOT NULL');
    this.addSql('ALTER TABLE policy_deployments ADD COLUMN person_id uuid REFERENCES people (id)');
    this.addSql(`ALTER TABLE policy_deployments ADD CONSTRAINT policy_deployments_one_deployer
      CHECK (num_nonnulls(token_id, person_id) = 1)`);
  }

  /** @throws when a person has deployed: the history only grows, and a token must not take their place */
  override down(): void {
    this.addSql('ALTER TABLE policy_deployments DROP COLUMN person_id');
    this.addSql('ALTER TABLE policy_deployments ALTER COLUMN token_id SET NOT NULL');
  }
}
