/** One run of one job: from where it stands to its end. */
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { deflateRaw } from 'node:zlib';
import { createSHA256, type IHasher } from 'hash-wasm';
import {
  exportPieces,
  readEventQuery,
  type EventFilters,
  type EventReader,
  type ParquetPacker,
} from '../events/index.js';
import type { ClaimedJob, ExportJob } from './export-job.js';
import type { ExportJobs } from './export-jobs.js';

export interface RunParts {
  readonly jobs: ExportJobs;
  readonly reader: EventReader;
  readonly packer: ParquetPacker;
  /** The bytes of a part before it is packed, and the rows of a group; for tests. */
  readonly partBytes?: number;
  readonly groupRows?: number;
}

const PART_BYTES = 1024 * 1024;
const pack = promisify(deflateRaw);

/**
 * Goes on with a job until it is done. Each part is stored together with where the job stands, so that whoever goes on
 * makes the file that one run would have made.
 *
 * @param signal ends it between two parts
 * @throws ExportTaken, ExportRefused, EventLogUnavailable, DatabaseUnavailable, WorkerFailure
 */
export async function runExport(job: ClaimedJob, { jobs, ...from }: RunParts, signal: AbortSignal): Promise<void> {
  const { accountId, id } = job;
  const filters = filtersOf(job);
  if (job.parts === 0) await expectRows(job, filters, { jobs, reader: from.reader });
  const hasher = await createSHA256();
  if (job.hash === null) hasher.init();
  else hasher.load(Buffer.from(job.hash, 'base64'));
  const part = new PartInTheMaking(hasher);
  const soFar =
    job.parts === 0
      ? undefined
      : { cursor: job.cursor, bytes: job.bytes, about: (await jobs.abouts(accountId, id)).flatMap(unpackAbout) };
  let number = job.parts;
  for await (const piece of exportPieces({
    ...from,
    filters,
    format: job.format,
    mark: job.bom,
    ...(job.columns === undefined ? {} : { columns: job.columns }),
    ...(soFar === undefined ? {} : { soFar }),
  })) {
    signal.throwIfAborted();
    part.add(piece);
    if (!piece.isLast && part.bytes < (from.partBytes ?? PART_BYTES)) continue;
    await jobs.addPart(job, number++, await part.close(piece.cursor, piece.isLast));
  }
}

interface Piece {
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly about?: Uint8Array;
}

/** Pieces of the file that are stored together. */
class PartInTheMaking {
  bytes = 0;
  private rows = 0;
  private pieces: Uint8Array[] = [];
  private about: Uint8Array[] = [];

  constructor(private readonly hasher: IHasher) {}

  add({ bytes, rows, about }: Piece): void {
    this.pieces.push(bytes);
    this.bytes += bytes.length;
    this.rows += rows;
    if (about !== undefined) this.about.push(about);
  }

  async close(cursor: string | null, isLast: boolean) {
    const { bytes, rows, about } = this;
    const content = Buffer.concat(this.pieces);
    this.hasher.update(content);
    const made = {
      ...{ content: await pack(content), about: serialize(about), rows, bytes, cursor },
      hash: Buffer.from(this.hasher.save()).toString('base64'),
      ...(isLast ? { sha256: this.hasher.digest('hex') } : {}),
    };
    this.bytes = this.rows = 0;
    this.pieces = [];
    this.about = [];
    return made;
  }
}

const unpackAbout = (about: Uint8Array): Uint8Array[] => deserialize(about) as Uint8Array[];

/** What was received before the job was made: events that come in meanwhile are not of it. */
function filtersOf({ accountId, environment, filters, createdAt }: ExportJob): EventFilters {
  const reach = { accountId, ...(environment === undefined ? {} : { environment }) };
  const { filters: read } = readEventQuery(filters, reach);
  return { ...read, to: read.to === undefined || read.to > createdAt ? createdAt : read.to };
}

async function expectRows(
  job: ClaimedJob,
  filters: EventFilters,
  { jobs, reader }: Pick<RunParts, 'jobs' | 'reader'>,
): Promise<void> {
  const rows = await reader.countAll(filters);
  if (rows !== null) await jobs.expect(job, rows);
}
