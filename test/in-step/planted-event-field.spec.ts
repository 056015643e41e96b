/** The claim of CONTRIBUTING.md about a new event field: it needs a migration, one line, and the code that fills it. */
import { PATIENCE_MS, planted, plantedSources } from '../support/planted-sources.js';
import { EVENT } from '../../src/events/reading/record-schema.js';
import { FILE_COLUMN_NAMES } from '../../src/events/reading/file-columns.js';
import { RECORD_COLUMNS } from '../../src/events/reading/event-record.js';
import { COLUMNS } from '../../src/events/fields/event-columns.js';
import { VALUES, type EventValue } from '../../src/events/fields/event-values.js';

const FILE = 'src/events/fields/event-values.ts';
const LINE = "\n  provider_region: { column: 'text', field: same(text, { file: 'text' }) },";
/** Code that fills the field, and code that reads it. */
const USES = {
  'src/calls/planted-filling.ts': `
import type { EventExtras } from './event-draft.js';
export const extras: EventExtras = { providerRegion: 'eu-west-1' };
`,
  'src/events/reading/planted-showing.ts': `
import type { EventRecord } from './event-record.js';
export const region = (record: EventRecord): string | null => record.provider_region;
`,
};

describe('An event field with a single value', () => {
  const mistakes = plantedSources(/NewEvent|EventRecord|EventRow|EventExtras|COLUMNS|FIELDS/);

  it(
    'can be filled and read only if its line exists in the table of values',
    () => {
      const line = { [FILE]: planted(FILE, ['export const VALUES = {', LINE]) };
      expect(mistakes({ ...USES, ...line })).toEqual([]);
      expect(mistakes(USES).map(({ file }) => file)).toEqual(Object.keys(USES));
    },
    PATIENCE_MS,
  );

  const values = Object.entries<EventValue>(VALUES);

  it.each(values)('is inserted and selected: %s', (name) => {
    expect(Object.keys(COLUMNS)).toContain(name);
    expect(RECORD_COLUMNS.split(', ').map((column) => column.replace(/^e\.|::.*/g, ''))).toContain(name);
  });

  it.each(values.filter(([, { field }]) => field !== undefined))('is in the schema of the API: %s', (name) => {
    expect(Object.keys(EVENT.shape)).toContain(name);
  });

  it.each(values.filter(([, { field }]) => field?.file !== undefined))('is in exported files: %s', (name) => {
    expect(FILE_COLUMN_NAMES).toContain(name);
  });
});
