/** An erasure empties every column of an event that can name a person: a new column is emptied, or is known to contain no such data. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLUMNS, type Column } from '../../src/events/fields/event-columns.js';
import { VALUES, type EventValue } from '../../src/events/fields/event-values.js';
import { ROOT } from '../support/walks.js';

/** Types whose values cannot name a person. */
const HARMLESS = ['uuid', 'integer', 'bigint', 'numeric', 'double precision', 'boolean', 'timestamptz'];
/** Further columns that an erasure keeps: words of fixed sets, ids from policies, and numbers as JSON. */
const KEPT = [
  ...['type', 'source', 'environment', 'declared_environment', 'decision', 'outcome', 'key_id', 'usage_other'],
  ...['rules', 'excepted', 'redactions', 'detectors'],
  ...Object.entries<EventValue>(VALUES).flatMap(([name, { erasure }]) => (erasure === 'kept' ? [name] : [])),
];

const STATEMENT = readFileSync(join(ROOT, 'src/erasure/erase-events.ts'), 'utf8');
const [, assignments = ''] = /UPDATE events e SET (.*?)\s+FROM /s.exec(STATEMENT) ?? [];
const EMPTIED = [...assignments.matchAll(/(?:^|,)\s*(\w+) = /g)].map((match) => match[1] ?? '');

describe('The columns of an erased event', () => {
  it('are emptied, or are known to contain no data of a person', () => {
    const columns = Object.entries<Column>(COLUMNS).filter(([, { type }]) => !HARMLESS.includes(type));
    expect(columns.map(([name]) => name).filter((name) => !EMPTIED.includes(name) && !KEPT.includes(name))).toEqual([]);
  });

  it('are not declared as kept if they are emptied', () => {
    expect(EMPTIED).toEqual(expect.arrayContaining(['payload', 'metadata', 'session_id', 'violations', 'event_id']));
    expect(KEPT.filter((name) => EMPTIED.includes(name))).toEqual([]);
  });
});
