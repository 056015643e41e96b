import type { ActorKind } from '../admin-audit/index.js';
import type { Environment } from '../core/index.js';
import type { ExportFormat } from '../events/index.js';
import type { S3Credentials, S3Place } from '../object-storage/index.js';

export const EXPORT_STATES = ['queued', 'running', 'paused', 'done', 'failed', 'cancelled'] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/** The export has not ended. */
export const isOpen = ({ state }: Pick<ExportJob, 'state'>): boolean =>
  state === 'queued' || state === 'running' || state === 'paused';

/** Where the file goes. The service keeps it, and hands it out while it is kept. */
export interface DownloadDestination {
  readonly kind: 'download';
}
/** A bucket of an S3-compatible service, which gets the file and keeps it. */
export interface S3Destination extends S3Place {
  readonly kind: 's3';
  /** What the object's name begins with. */
  readonly prefix: string;
  /** The last four characters of the id of the access key, by which people know it. */
  readonly accessKeyEnds: string;
}
export type ExportDestination = DownloadDestination | S3Destination;

/** What is to be exported, and how. */
export interface ExportOrder {
  readonly format: ExportFormat;
  /** As in the query string of `GET /v1/events`. */
  readonly filters: Readonly<Record<string, string>>;
  /** Names of columns; undefined: all of them. */
  readonly columns?: readonly string[];
  /** CSV with a byte order mark. */
  readonly bom: boolean;
  readonly destination: ExportDestination;
}

export interface ExportJob extends ExportOrder {
  readonly id: string;
  readonly accountId: string;
  /** Set when whoever asked may see one environment only. */
  readonly environment?: Environment;
  readonly state: ExportState;
  readonly rows: number;
  /** Null before it is counted, and where it cannot be counted. */
  readonly rowsExpected: number | null;
  readonly bytes: number;
  readonly sha256: string | null;
  readonly cursor: string | null;
  readonly error: string | null;
  readonly by: { readonly kind: ActorKind; readonly id: string | null; readonly name: string | null };
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly expiresAt: Date | null;
  /** The service has the file. */
  readonly hasFile: boolean;
  /** Set when a schedule asked for it. */
  readonly schedule?: {
    readonly id: string;
    /** Also the end of what it has. */
    readonly dueAt: Date;
    /** Events of its time that came into the log after it was written; null: not counted. */
    readonly lateRows: number | null;
  };
}

/** A job that this process runs, as far as it has come. */
export interface ClaimedJob extends ExportJob {
  /** Names the run: what another one has taken over does not count any more. */
  readonly runner: string;
  readonly parts: number;
  /** The state of SHA-256 over the bytes that there are, or null at the beginning. */
  readonly hash: string | null;
  /** The upload that was begun at the bucket. */
  readonly upload: string | null;
  /** Null without a bucket, and when they can no longer be decrypted. */
  readonly credentials: S3Credentials | null;
}
