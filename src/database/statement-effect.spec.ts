import { effectOf } from './statement-effect.js';

describe('effectOf', () => {
  it.each([
    'ALTER TABLE events ADD COLUMN note text',
    'ALTER TABLE events ADD COLUMN n integer NOT NULL DEFAULT 0',
    'ALTER TABLE events ADD COLUMN n integer DEFAULT 0 NOT NULL, ADD COLUMN note text',
    'CREATE INDEX events_note ON events (account_id, note)',
    'CREATE TABLE notes (account_id uuid NOT NULL)',
    'GRANT SELECT ON notes TO weir_app',
    'CREATE POLICY weir_app ON notes TO weir_app USING (true)',
    'ALTER TABLE events ALTER COLUMN note DROP NOT NULL',
    'CREATE UNIQUE INDEX events_one ON events (account_id, id, note) /* continues: the primary key is unique in fewer columns */',
    'DROP INDEX events_note /* of events, continues: no statement needs it */',
  ])('tells that servers of the previous version can continue: %s', (statement) => {
    expect(effectOf(statement).breaks).toBeUndefined();
  });

  it.each([
    ['ALTER TABLE events DROP COLUMN model', 'reads the column'],
    ['ALTER TABLE events RENAME COLUMN model TO name', 'old name'],
    ['ALTER TABLE events RENAME TO log', 'old name'],
    ['ALTER TABLE events ALTER COLUMN model TYPE integer USING 0', 'old type'],
    ['ALTER TABLE events ALTER COLUMN model SET NOT NULL', 'without a value'],
    ['ALTER TABLE events ADD COLUMN note text NOT NULL', 'without the new column'],
    ['ALTER TABLE events ADD COLUMN note text, ADD COLUMN other text NOT NULL', 'without the new column'],
    [
      'ALTER TABLE events ADD COLUMN note text NOT NULL, ADD COLUMN n integer NOT NULL DEFAULT 0',
      'without the new column',
    ],
    [`ALTER TABLE events ADD CONSTRAINT c CHECK (model <> '') NOT VALID`, 'invalid rows'],
    ['CREATE UNIQUE INDEX events_one ON events (account_id, request_id)', 'conflicting rows'],
    ['DROP TABLE events', 'dropped'],
    ['DROP INDEX events_note /* of events */', 'may need the index'],
  ])('tells that servers of the previous version would fail: %s', (statement, why) => {
    expect(effectOf(statement).breaks).toContain(why);
  });

  it('throws for an unknown form of statement', () => {
    expect(() => effectOf('VACUUM FULL events')).toThrow('are unknown: VACUUM FULL events');
    expect(() => effectOf('ALTER TABLE events REPLICA IDENTITY FULL')).toThrow('are unknown');
  });

  it('names the table of a dropped index by the comment of its statement, and throws without one', () => {
    const statement = 'DROP INDEX events_note\n  /* of events */';
    expect(effectOf(statement)).toMatchObject({ table: 'events', lock: 'ACCESS EXCLUSIVE', work: 'nothing' });
    expect(() => effectOf('DROP INDEX events_note')).toThrow('are unknown');
  });
});
