import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import { columnsNamed, FILE_COLUMNS } from '../../src/events/reading/file-columns.js';
import { fileEnd, rowGroup, type ColumnValues } from '../../src/events/reading/parquet-file.js';

const COLUMNS = columnsNamed([
  'id',
  'received_at',
  'rules',
  'prompt_tokens',
  'cost_nano_usd',
  'latency_total_ms',
  'payload',
]).map(({ name, type }) => ({ name, type }));

interface Row {
  readonly id: string;
  readonly receivedAtMs: number | null;
  readonly rules: readonly string[];
  readonly tokens: number | null;
  readonly cost: bigint | null;
  readonly latency: number | null;
  readonly payload: string | null;
}

/** The bytes of a file with these groups of rows, each encoded as if by a separate process. */
function fileOf(groups: readonly (readonly Row[])[]): Buffer {
  const pieces: Uint8Array[] = [];
  const about: Uint8Array[] = [];
  let at = 0;
  for (const rows of groups.length === 0 ? [[]] : groups) {
    const piece = rowGroup({ columns: COLUMNS, values: valuesOf(rows), at });
    pieces.push(piece.bytes);
    about.push(piece.about);
    at += piece.bytes.length;
  }
  return Buffer.concat([...pieces, fileEnd({ columns: COLUMNS, groups: about, at })]);
}

function valuesOf(rows: readonly Row[]): ColumnValues[] {
  return [
    rows.map(({ id }) => id),
    rows.map(({ receivedAtMs }) => (receivedAtMs === null ? null : new Date(receivedAtMs).toISOString())),
    rows.map(({ rules }) => rules),
    rows.map(({ tokens }) => tokens),
    rows.map(({ cost }) => cost?.toString() ?? null),
    rows.map(({ latency }) => latency),
    rows.map(({ payload }) => payload),
  ];
}

const words = fc.string({ unit: 'grapheme', maxLength: 40 });
const row: fc.Arbitrary<Row> = fc.record({
  id: words,
  receivedAtMs: fc.option(fc.integer({ min: 0, max: 4_000_000_000_000 })),
  rules: fc.array(words, { maxLength: 4 }),
  tokens: fc.option(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
  cost: fc.option(fc.bigInt({ min: 0n, max: 10n ** 36n })),
  latency: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
  payload: fc.option(fc.json()),
});

describe('A Parquet file of events', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-parquet-'));
  const path = join(folder, 'events.parquet');
  let instance: DuckDBInstance;
  let duck: DuckDBConnection;
  beforeAll(async () => {
    instance = await DuckDBInstance.create(':memory:');
    duck = await instance.connect();
  });
  afterAll(() => {
    duck.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true });
  });

  const read = async (bytes: Uint8Array): Promise<readonly unknown[][]> => {
    writeFileSync(path, bytes);
    const reader = await duck.runAndReadAll(
      `SELECT id, epoch_ms(received_at)::double, to_json(rules)::text, prompt_tokens, cost_nano_usd::text,
              latency_total_ms, payload FROM read_parquet('${path}', file_row_number = true) ORDER BY file_row_number`,
    );
    return reader.getRowsJS() as unknown[][];
  };

  it('is read by DuckDB exactly as written, for any grouping of rows', async () => {
    const groups = fc.array(fc.array(row, { minLength: 1, maxLength: 20 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(groups, async (rows) => {
        const seen = await read(fileOf(rows));
        expect(seen).toEqual(
          rows
            .flat()
            .map((one) => [
              one.id,
              one.receivedAtMs,
              JSON.stringify(one.rules),
              one.tokens === null ? null : BigInt(one.tokens),
              one.cost?.toString() ?? null,
              one.latency === 0 ? expect.closeTo(0) : one.latency,
              one.payload,
            ]),
        );
      }),
      { numRuns: Number(process.env['WEIR_TEST_RUNS'] ?? 40) },
    );
  });

  it('declares the right type of each column', async () => {
    const values = FILE_COLUMNS.map(() => []);
    const start = rowGroup({ columns: FILE_COLUMNS, values, at: 0 }).bytes;
    const end = fileEnd({ columns: FILE_COLUMNS, groups: [], at: start.length });
    writeFileSync(path, Buffer.concat([start, end]));
    const reader = await duck.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet('${path}')`);
    const types = Object.fromEntries(reader.getRowsJS().map(([name, type]) => [String(name), String(type)]));
    expect(Object.keys(types)).toEqual(FILE_COLUMNS.map(({ name }) => name));
    expect(types).toMatchObject({
      received_at: 'TIMESTAMP WITH TIME ZONE',
      rules: 'VARCHAR[]',
      prompt_tokens: 'BIGINT',
      cost_nano_usd: 'DECIMAL(38,0)',
      latency_weir_ms: 'DOUBLE',
      payload: 'VARCHAR',
    });
  });
});
