import fc from 'fast-check';
import { PROVIDERS } from '../../src/core/providers/providers.js';
import { ACTIONS, allCells, carries, cellOf, decisionProblems, readingProblems, SEEDS } from '../matrix/check-cell.js';
import { FORMS } from '../matrix/forms.js';
import { LOCATIONS } from '../matrix/locations.js';

const FIELD_TABLES = [...new Set(Object.values(PROVIDERS).flatMap(({ fieldTables }) => fieldTables))];

const named = (cell: ReturnType<typeof allCells>[number]): string =>
  `${cell.form.surface}, ${cell.form.name} (${cell.form.kind}${cell.streamed ? ', streamed' : ''}): ${cell.location.name}`;

describe('The conformance matrix', () => {
  it('has at least one form of request or answer for every location', () => {
    for (const location of LOCATIONS)
      expect([location.name, FORMS.some((form) => carries(form, location))]).toEqual([location.name, true]);
  });

  it('is green: a canary at any location of any call is decoded correctly', () => {
    const red = allCells(FORMS, SEEDS).flatMap((cell) =>
      readingProblems(cell).map((problem) => `${named(cell)}: ${problem}`),
    );
    expect([...new Set(red)]).toEqual([]);
  });

  it.each(ACTIONS)('has the same decision on every surface: %s', async (action) => {
    const red: string[] = [];
    for (const cell of allCells(FORMS, [1])) {
      for (const problem of await decisionProblems(cell, action)) red.push(`${named(cell)}: ${problem}`);
    }
    expect(red).toEqual([]);
  });

  it('stays green for any random call', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.constantFrom(...FORMS),
        fc.constantFrom(...LOCATIONS),
        fc.boolean(),
        fc.constantFrom(...ACTIONS),
        async (seed, form, location, streamed, action) => {
          const cell = cellOf(form, location, streamed, seed);
          if (cell === undefined) return;
          expect(readingProblems(cell)).toEqual([]);
          expect(await decisionProblems(cell, action)).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });

  describe('is red without the decoder of the field', () => {
    const extractors = new Map<string, { key: string; reader: unknown }>();
    for (const table of FIELD_TABLES) {
      for (const [key, reader] of table) {
        const same = [...extractors.values()].filter((each) => each.key === key);
        if (!same.some((each) => each.reader === reader))
          extractors.set(`${key}${same.length > 0 ? ` (${same.length + 1})` : ''}`, { key, reader });
      }
    }
    const cells = allCells(FORMS, [1]).filter(({ form, streamed }) => !streamed || form.kind === 'answer');
    it.each([...extractors])('%s', (_, { key, reader }) => {
      const tables = FIELD_TABLES.filter((table) => table.get(key) === reader) as Map<string, unknown>[];
      for (const table of tables) table.delete(key);
      try {
        expect(cells.some((cell) => readingProblems(cell).length > 0)).toBe(true);
      } finally {
        for (const table of tables) table.set(key, reader);
      }
    });
  });
});
