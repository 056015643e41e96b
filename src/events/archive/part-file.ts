/**
 * Moves old weeks of the log to an object store, as Parquet files: they are written, read back and dropped from the database, and searched
 * in the store from then on. A part holds events of one account and one environment in one week, in the order of their ids; every column is
 * PostgreSQL's text of its value, so that restored rows equal the original ones.
 *
 * Start with archive-week.ts (how a week is archived) and rewrite-part.ts (how an archived part is changed).
 */
import { createHash } from 'node:crypto';
import { parquetMetadata, parquetRead } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

/** Events by column, all of them as text. */
export interface PartRows {
  readonly columns: readonly string[];
  /** One list per column, with one value per event. */
  readonly values: readonly (readonly (string | null)[])[];
}

export interface PackedPart {
  readonly bytes: Uint8Array;
  /** Digest of the file. */
  readonly sha256: string;
  /** Digest of the content, independent of compression. */
  readonly digest: string;
}

export interface UnpackedPart {
  readonly rows: PartRows;
  readonly sha256: string;
  readonly digest: string;
}

/** Rows of a group. A search for a range of ids skips groups outside the range. */
const GROUP_ROWS = 1_000;

/** Packs events into a Parquet file. Pure. */
export function packPart(rows: PartRows): PackedPart {
  const { columns, values } = rows;
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: [
      { name: 'events', num_children: columns.length },
      ...columns.map((name) => ({
        ...({ name, repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const),
      })),
    ],
    createdBy: 'weir archive',
  });
  const columnData = columns.map((name, index) => ({ name, data: [...values[index]!] }));
  void file.write({ columnData, rowGroupSize: GROUP_ROWS });
  void file.finish();
  const bytes = writer.getBytes();
  return { bytes, sha256: sha256Of(bytes), digest: digestOf(rows) };
}

/** Reads the content of a file made by `packPart`. @throws Error if it is not a Parquet file */
export async function unpackPart(bytes: Uint8Array): Promise<UnpackedPart> {
  // A separate copy: if `bytes` is a slice of a larger buffer, the whole buffer would be read.
  const file = new Uint8Array(bytes).buffer;
  const metadata = parquetMetadata(file);
  const columns = metadata.schema.slice(1).map(({ name }) => name);
  const byName = new Map(columns.map((name) => [name, new Array<string | null>(Number(metadata.num_rows)).fill(null)]));
  await parquetRead({
    ...{ file, metadata },
    onChunk: ({ columnName, columnData, rowStart }) => {
      const into = byName.get(columnName);
      for (let at = 0; into !== undefined && at < columnData.length; at++) {
        into[rowStart + at] = (columnData[at] as string | null | undefined) ?? null;
      }
    },
  });
  const rows = { columns, values: columns.map((name) => byName.get(name) ?? []) };
  return { rows, sha256: sha256Of(bytes), digest: digestOf(rows) };
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Values are preceded by their lengths, so that different lists of values are hashed as different texts. */
function digestOf({ columns, values }: PartRows): string {
  const hash = createHash('sha256');
  columns.forEach((name, index) => {
    hash.update(`${name}\n`);
    for (const value of values[index]!) {
      if (value === null) hash.update('-\n');
      else hash.update(`${value.length}\n${value}`);
    }
  });
  return hash.digest('hex');
}
