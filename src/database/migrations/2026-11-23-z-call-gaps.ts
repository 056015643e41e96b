import { Migration } from '@mikro-orm/migrations';

/** How far calls have been looked through for those whose end nobody recorded: one row, held by whoever is looking. */
export class CallGaps extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('DROP TABLE call_gap_sweeps');
  }
}

const STATEMENTS = [
  'CREATE TABLE call_gap_sweeps (one boolean PRIMARY KEY CHECK (one), swept_to uuid)',
  'INSERT INTO call_gap_sweeps (one) VALUES (true)',
];
