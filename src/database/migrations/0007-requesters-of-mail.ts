import { Migration } from '@mikro-orm/migrations';

/**
 * Mails to one address are limited for each network that requests them, so that strangers cannot use up the mails of the owner. Null:
 * requested by a server of the previous version, or by the service itself.
 */
export class RequestersOfMail extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE mail_outbox ADD COLUMN requester text');
  }

  override down(): void {
    this.addSql('ALTER TABLE mail_outbox DROP COLUMN requester');
  }
}
