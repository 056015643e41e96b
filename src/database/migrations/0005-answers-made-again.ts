import { Migration } from '@mikro-orm/migrations';

/**
 * What takes the place of an answer for retries when its text is due. Servers of the version before write none: their answers
 * are gone with their texts.
 */
export class AnswersMadeAgain extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE event_ids ADD COLUMN answer_remade text');
  }

  override down(): void {
    this.addSql('ALTER TABLE event_ids DROP COLUMN answer_remade');
  }
}
