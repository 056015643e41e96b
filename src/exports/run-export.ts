/** One run of one job: from its current position to its end. */
import { deserialize, serialize } from 'node:v8';
import { createSHA256, type IHasher } from 'hash-wasm';
import { unlessAborted } from '../database/index.js';
import {
  EventLogUnavailable,
  exportPieces,
  readEventQuery,
  type EventFilters,
  type EventReader,
  type ParquetPacker,
} from '../events/index.js';
import type { ClaimedJob, ExportJob } from './export-job.js';
import type { ExportJobs } from './export-jobs.js';
import { sinkOf, type FileSink } from './file-sink.js';
import { inYoungGeneration } from './young-generation.js';
import { TurnOver } from '../resilience/index.js';

/** A file whose filters match few events would otherwise lose the progress of hours when its process ends. */
const SAVE_EVERY_MS = 60_000;

export interface RunParts {
  readonly jobs: ExportJobs;
  readonly reader: EventReader;
  readonly packer: ParquetPacker;
  /** Endpoints of buckets that may be in private networks. */
  readonly endpoints?: readonly string[];
  /** The uncompressed size of a part, and the rows of a group; for tests. */
  readonly partBytes?: number;
  readonly groupRows?: number;
  /** The time after which the progress is stored even if no part is full; for tests. */
  readonly saveEveryMs?: number;
  /** True ends the run as soon as its progress is stored. */
  readonly isTurnOver?: () => boolean;
  /** Called when the turn is over and the progress cannot be stored yet; resolves when the run may continue. */
  readonly giveWay?: () => Promise<void>;
  /** Stores the outcome of a run that ended with an error; never rejects. Absent: the caller does it. */
  readonly settle?: (error: unknown) => Promise<void>;
}

/**
 * Continues a job until it is done. Each part is stored together with the job's position, so a resumed job produces the same file as a
 * single run.
 *
 * @param signal aborts the run between two parts, and requests to a bucket
 * @throws TurnOver, ExportTaken, ExportRefused, UploadLost, S3Refused, EventLogUnavailable, DatabaseUnavailable, WorkerFailure
 */
export async function runExport(job: ClaimedJob, parts: RunParts, signal: AbortSignal): Promise<void> {
  const { jobs, endpoints = [], partBytes, settle } = parts;
  let sink: FileSink | undefined;
  try {
    const file = sinkOf(job, jobs, endpoints, { partBytes, signal });
    sink = file;
    // The SHA-256 is set with the last part: all parts are stored.
    if (job.sha256 === null) await inYoungGeneration(() => writeParts(job, file, parts, signal));
    await file.finish();
  } catch (error) {
    // The outcome is stored first: whether the file is continued is read from the database, where others can change it.
    await settle?.(error);
    if (await isGivenUp(job, jobs)) await sink?.abandon().catch(() => undefined);
    throw error;
  } finally {
    await sink?.close();
  }
}

async function writeParts(job: ClaimedJob, sink: FileSink, parts: RunParts, signal: AbortSignal): Promise<void> {
  const { jobs, reader, packer, groupRows, isTurnOver, giveWay, saveEveryMs = SAVE_EVERY_MS } = parts;
  const filters = filtersOf(job);
  if (job.parts === 0 && job.cursor === null) {
    await expectRows(job, filters, { jobs, reader }, signal);
    await countLate(job, { jobs, reader }, signal);
  }
  const hasher = await createSHA256();
  if (job.hash === null) hasher.init();
  else hasher.load(Buffer.from(job.hash, 'base64'));
  const part = new PartInTheMaking(hasher);
  const soFar = await writtenBy(job, jobs);
  let number = job.parts;
  let savedMs = performance.now();
  for await (const piece of exportPieces({
    ...{ reader, packer, filters, format: job.format, mark: job.bom },
    ...(groupRows === undefined ? {} : { groupRows }),
    ...(job.columns === undefined ? {} : { columns: job.columns }),
    ...(soFar === undefined ? {} : { soFar }),
  })) {
    signal.throwIfAborted();
    part.add(piece);
    const isOver = (): boolean => !piece.isLast && isTurnOver?.() === true;
    const isFull = piece.isLast || part.bytes >= sink.partBytes(number);
    if (!isFull && !isOver() && performance.now() - savedMs < saveEveryMs) continue;
    if (isFull || part.bytes >= sink.leastBytes) {
      const { content, ...made } = part.close(piece.cursor ?? null, piece.isLast);
      const kept = await sink.store(number, content);
      await jobs.addPart(job, number, { ...made, ...kept });
      giveBack(kept.content);
      number++;
    } else if (part.bytes === 0 && typeof piece.cursor === 'string') {
      await jobs.keepUp(job, piece.cursor);
    } else {
      // A bucket accepts no smaller part, and the position must not pass over rows that are in no part.
      if (isOver()) await giveWay?.();
      continue;
    }
    savedMs = performance.now();
    if (isOver()) throw new TurnOver();
  }
}

/** The file as the earlier runs have left it; undefined if this run begins it. */
async function writtenBy({ accountId, id, cursor, bytes, parts }: ClaimedJob, jobs: ExportJobs) {
  if (parts === 0 && cursor === null) return undefined;
  return { cursor, bytes, about: (await jobs.abouts(accountId, id)).flatMap(unpackAbout) };
}

/** Minimum size of a buffer to free: a smaller one may be a slice of the pool that Node.js shares among buffers. */
const OWN_BYTES = 128 * 1024;

/** Frees a packed part: its off-heap memory would otherwise stay until a garbage collection, which the small heap does not trigger. */
function giveBack({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (buffer.byteLength >= OWN_BYTES) buffer.transfer(0);
}

/** Whether nobody continues the file: the export was cancelled or removed, or has failed and cannot be resumed. */
async function isGivenUp({ accountId, id }: ClaimedJob, jobs: ExportJobs): Promise<boolean> {
  const job = await jobs.find({ accountId }, id).catch(() => undefined);
  if (job === undefined) return false;
  return job === null || job.state === 'cancelled' || (job.state === 'failed' && !job.isResumable);
}

interface Piece {
  readonly content: readonly (string | Uint8Array)[];
  readonly rows: number;
  readonly about?: Uint8Array;
}

const ROOM_BYTES = 1024 * 1024;

/**
 * Pieces of the file that are stored as one part. All parts of a job reuse one buffer: separate ones would hold tens of megabytes of
 * off-heap memory until the next garbage collection.
 */
class PartInTheMaking {
  bytes = 0;
  private rows = 0;
  private room = Buffer.allocUnsafeSlow(ROOM_BYTES);
  private about: Uint8Array[] = [];

  constructor(private readonly hasher: IHasher) {}

  add({ content, rows, about }: Piece): void {
    for (const each of content) {
      const length = typeof each === 'string' ? Buffer.byteLength(each) : each.length;
      this.makeRoomFor(length);
      if (typeof each === 'string') this.room.write(each, this.bytes);
      else this.room.set(each, this.bytes);
      this.bytes += length;
    }
    this.rows += rows;
    if (about !== undefined) this.about.push(about);
  }

  /** Ends the part. Its `content` is valid until the next piece is added. */
  close(cursor: string | null, isLast: boolean) {
    const { bytes, rows, about } = this;
    const content = this.room.subarray(0, bytes);
    this.hasher.update(content);
    const made = {
      ...{ content, about: serialize(about), rows, bytes, cursor },
      hash: Buffer.from(this.hasher.save()).toString('base64'),
      ...(isLast ? { sha256: this.hasher.digest('hex') } : {}),
    };
    this.bytes = this.rows = 0;
    this.about = [];
    return made;
  }

  private makeRoomFor(length: number): void {
    const needed = this.bytes + length;
    if (needed <= this.room.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.room.length));
    this.room.copy(larger, 0, 0, this.bytes);
    this.room = larger;
  }
}

const unpackAbout = (about: Uint8Array): Uint8Array[] => deserialize(about) as Uint8Array[];

/** The filters of the export, limited to events received before the job was created. */
function filtersOf({ accountId, environment, filters, createdAt }: ExportJob): EventFilters {
  const reach = { accountId, ...(environment === undefined ? {} : { environment }) };
  const { filters: read } = readEventQuery(filters, reach);
  return { ...read, to: read.to === undefined || read.to > createdAt ? createdAt : read.to };
}

async function expectRows(
  job: ClaimedJob,
  filters: EventFilters,
  { jobs, reader }: Pick<RunParts, 'jobs' | 'reader'>,
  signal: AbortSignal,
): Promise<void> {
  const rows = await countIfPossible(reader, filters, signal);
  if (rows !== null) await jobs.expect(job, rows);
}

/** Counts the events logged after the schedule's previous file was written, which would otherwise go unnoticed. */
async function countLate(
  job: ClaimedJob,
  { jobs, reader }: Pick<RunParts, 'jobs' | 'reader'>,
  signal: AbortSignal,
): Promise<void> {
  const before = await jobs.fileBefore(job);
  const rows = before === null ? null : await countIfPossible(reader, filtersOf(before), signal);
  if (before !== null && rows !== null) await jobs.noteLate(before, Math.max(0, rows - before.rows));
}

/**
 * Counts events; null if that is not possible now. Counts are informative only: a count that exceeds the statement timeout must not prevent
 * the export.
 */
async function countIfPossible(
  reader: EventReader,
  filters: EventFilters,
  signal: AbortSignal,
): Promise<number | null> {
  try {
    return await unlessAborted(signal, reader.countAll(filters));
  } catch (error) {
    if (error instanceof EventLogUnavailable) return null;
    throw error;
  }
}
