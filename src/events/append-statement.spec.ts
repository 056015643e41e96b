import { newEvent } from '../../test/support/events.js';
import { appendParameters, prepareAppend } from './append-statement.js';

const FINGERPRINT = Buffer.alloc(32);
const append = (changes: Parameters<typeof newEvent>[0], body?: string) =>
  prepareAppend({
    event: newEvent(changes),
    children: [],
    idempotency: { fingerprint: FINGERPRINT, ...(body === undefined ? {} : { answer: { status: 200, body } }) },
  });

/** The columns of the statement as PostgreSQL reads them: `string_to_array`, then `unnest`, which fills short columns with nulls. */
function columnsOf(batch: readonly ReturnType<typeof append>[]) {
  const parameters = appendParameters(batch, [], 'main');
  const [boundary, absent, ...texts] = parameters.slice(0, -1);
  const columns = texts.map((text) =>
    text === '' ? [] : text.split(boundary!).map((value) => (value === absent ? null : value)),
  );
  return { texts, absent: absent!, columns };
}

/** The number of columns in front of those of the events: the claimed row of each row, and of each claim its row and its fields. */
const BEFORE = 11;

describe('The parameters of the statement that stores events', () => {
  const batch = [
    append({ requestId: 'one', sessionId: 'session' }),
    append({ requestId: 'two' }, '{}'),
    append({ requestId: 'three', model: 'a model' }),
  ];

  it('are the values of the rows, with null for those that no row has', () => {
    for (const some of [batch, batch.slice(0, 1), batch.slice(1)]) {
      const rows = some.flatMap((one) => one.rows);
      const { columns } = columnsOf(some);
      for (let column = 0; column < rows[0]!.length; column++)
        expect(rows.map((_, row) => columns[BEFORE + column]![row] ?? null)).toEqual(rows.map((row) => row[column]));
      expect(rows.map((_, row) => columns[0]![row] ?? null)).toEqual(
        some.map(({ claim, rowId }) => (claim === undefined ? null : rowId)),
      );
    }
  });

  it('contain the detectors of each event, whether its list is its own or shared with others', () => {
    const record = { plugin: 'pii', version: '1.0.0', revision: 1, status: 'scanned' } as const;
    const one = [Object.freeze({ key: 'one', ...record })];
    const shared = Object.freeze([...one, Object.freeze({ key: 'two', ...record })]);
    const lists = [one, shared, [], shared, Object.freeze([])];
    const { columns } = columnsOf(lists.map((detectors) => append({ detectors })));
    expect(columns).toContainEqual(lists.map((list) => JSON.stringify(list)));
  });

  it('are empty for each column without values, so that no marks for nulls are sent', () => {
    const { texts, absent, columns } = columnsOf(batch.slice(0, 1));
    expect(texts.filter((text) => text.includes(absent))).toEqual([]);
    expect(texts.filter((text) => text === '').length).toBeGreaterThan(20);
    expect(columnsOf(batch).columns[BEFORE]).toHaveLength(3);
    expect(columns[BEFORE]).toHaveLength(1);
  });
});
