import { Migration } from '@mikro-orm/migrations';

/**
 * Data from which an answer is rebuilt for retries after its text is deleted. Servers of the previous version do not write it: their
 * answers are deleted with the texts.
 */
export class AnswersMadeAgain extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE event_ids ADD COLUMN answer_remade text');
  }

  override down(): void {
    this.addSql('ALTER TABLE event_ids DROP COLUMN answer_remade');
  }
}
