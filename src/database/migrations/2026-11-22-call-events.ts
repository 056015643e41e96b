import { Migration } from '@mikro-orm/migrations';

/** Finds the answers and errors of a call by the event that it began with. */
export class CallEvents extends Migration {
  override up(): void {
    this.addSql('CREATE INDEX events_call ON events (account_id, call_id, id) WHERE call_id <> id');
  }

  override down(): void {
    this.addSql('DROP INDEX events_call');
  }
}
