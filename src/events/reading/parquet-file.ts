/**
 * A Parquet file in pieces: its rows in groups, then the metadata with all positions. Each piece is created separately, so that another
 * process can continue a file. Pure; it runs in a worker thread, since compression blocks the event loop.
 */
import { deserialize, serialize } from 'node:v8';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { CellType } from '../fields/same-field.js';
import type { PackedColumn } from './file-columns.js';

/** Values of one column, row by row, as they travel between threads. */
export type ColumnValues = readonly (string | number | readonly string[] | null)[];

export interface RowGroupInput {
  readonly columns: readonly PackedColumn[];
  readonly values: readonly ColumnValues[];
  /** Size of the file so far, in bytes. */
  readonly at: number;
}

export interface RowGroupPiece {
  readonly bytes: Uint8Array;
  /** Data about this group for the end of the file. */
  readonly about: Uint8Array;
}

export interface FileEndInput {
  readonly columns: readonly PackedColumn[];
  /** `about` of every group, in order. */
  readonly groups: readonly Uint8Array[];
  readonly at: number;
}

type RowGroups = ParquetWriter['row_groups'];

const CREATED_BY = 'weir';
/** `PAR1`: every file begins with it. */
const MAGIC_BYTES = 4;
/** Integers of nano-dollars, large enough for every amount of a ledger. */
const NANO = {
  type: 'FIXED_LEN_BYTE_ARRAY',
  type_length: 16,
  converted_type: 'DECIMAL',
  precision: 38,
  scale: 0,
} as const;

/** A group of rows as bytes of the file. @param at 0: the file begins with this group */
export function rowGroup({ columns, values, at }: RowGroupInput): RowGroupPiece {
  const { writer, file } = goingOn(columns, at);
  const columnData = columns.map(({ name, type }, index) => ({
    name,
    data: (values[index] ?? []).map((value) => parquetValue(type, value)),
    offsetIndex: false,
  }));
  const written = file.write({ columnData, rowGroupSize: Math.max(1, values[0]?.length ?? 1) });
  if (written !== undefined) throw new Error('a row group was not written synchronously');
  return { bytes: writer.getBytes(), about: serialize(file.row_groups) };
}

/** The end of the file, which readers read first. */
export function fileEnd({ columns, groups, at }: FileEndInput): Uint8Array {
  const { writer, file } = goingOn(columns, at);
  file.row_groups = groups.flatMap((group) => deserialize(group) as RowGroups);
  file.num_rows = file.row_groups.reduce((sum, { num_rows: rows }) => sum + rows, 0n);
  void file.finish();
  return writer.getBytes();
}

/** A writer that continues a file of `at` bytes. */
function goingOn(columns: readonly PackedColumn[], at: number): { writer: ByteWriter; file: ParquetWriter } {
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: schemaOf(columns), createdBy: CREATED_BY });
  if (at >= MAGIC_BYTES) {
    // Discards the magic bytes that the new writer begins with: the file has them already.
    writer.index = 0;
    writer.offset = at;
  }
  return { writer, file };
}

function schemaOf(columns: readonly PackedColumn[]): SchemaElement[] {
  return [{ name: 'events', num_children: columns.length }, ...columns.flatMap(elementsOf)];
}

function elementsOf({ name, type }: PackedColumn): SchemaElement[] {
  const repetition_type = 'OPTIONAL';
  const string = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
  switch (type) {
    case 'text':
      return [{ name, repetition_type, ...string }];
    case 'list':
      return [
        { name, repetition_type, converted_type: 'LIST', num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', repetition_type: 'REQUIRED', ...string },
      ];
    case 'time':
      return [
        {
          ...{ name, repetition_type, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
          logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
        },
      ];
    case 'int':
      return [{ name, repetition_type, type: 'INT64' }];
    case 'double':
      return [{ name, repetition_type, type: 'DOUBLE' }];
    case 'nano':
      return [{ name, repetition_type, ...NANO }];
  }
}

function parquetValue(type: CellType, value: ColumnValues[number]): unknown {
  if (value === null) return null;
  if (type === 'time') return new Date(value as string);
  if (type === 'int' || type === 'nano') return BigInt(value as string | number);
  return value;
}
