import { Migration } from '@mikro-orm/migrations';

/** What a readiness probe writes and reads back: a few rows that are written over, of no account. */
export class ReadinessProbes extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('DROP TABLE readiness_probes');
  }
}

const STATEMENTS = [
  'CREATE TABLE readiness_probes (slot smallint PRIMARY KEY, token uuid NOT NULL) WITH (fillfactor = 50)',
  'GRANT SELECT, INSERT, UPDATE ON readiness_probes TO weir_watcher',
];
