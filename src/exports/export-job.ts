import type { ActorKind } from '../admin-audit/index.js';
import type { Environment } from '../core/index.js';
import type { ExportFormat } from '../events/index.js';
import type { S3Credentials, S3Place } from '../object-storage/index.js';

export const EXPORT_STATES = ['queued', 'running', 'paused', 'done', 'failed', 'cancelled'] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/** True while the export is queued, running or paused. */
export const isOpen = ({ state }: Pick<ExportJob, 'state'>): boolean =>
  state === 'queued' || state === 'running' || state === 'paused';

/** The service stores the file and offers it for download until it expires. */
export interface DownloadDestination {
  readonly kind: 'download';
}
/** The file is uploaded to a bucket of an S3-compatible service. */
export interface S3Destination extends S3Place {
  readonly kind: 's3';
  /** Prefix of the object's name. */
  readonly prefix: string;
  /** The last four characters of the access key's id, by which people recognise it. */
  readonly accessKeyEnds: string;
}
export type ExportDestination = DownloadDestination | S3Destination;

/** The events to export, the format of the file and its destination. */
export interface ExportOrder {
  readonly format: ExportFormat;
  /** As in the query string of `GET /v1/events`. */
  readonly filters: Readonly<Record<string, string>>;
  /** Names of columns; undefined: all of them. */
  readonly columns?: readonly string[];
  /** Whether CSV begins with a byte order mark. */
  readonly bom: boolean;
  readonly destination: ExportDestination;
}

export interface ExportJob extends ExportOrder {
  readonly id: string;
  readonly accountId: string;
  /** Set if the requester may see one environment only. */
  readonly environment?: Environment;
  readonly state: ExportState;
  readonly rows: number;
  /** Null until the rows are counted, or if they cannot be counted. */
  readonly rowsExpected: number | null;
  readonly bytes: number;
  readonly sha256: string | null;
  readonly cursor: string | null;
  /** Why the export failed, or, while it runs, why it began again. */
  readonly error: string | null;
  readonly by: { readonly kind: ActorKind; readonly id: string | null; readonly name: string | null };
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly expiresAt: Date | null;
  /** Whether the service stores the complete file and the file has not expired. */
  readonly hasFile: boolean;
  /** Whether the export has failed and can be continued from its last part. */
  readonly isResumable: boolean;
  /** Set if a schedule requested the export. */
  readonly schedule?: {
    readonly id: string;
    /** The due time, which is also the end of the file's time range. */
    readonly dueAt: Date;
    /** Events of this range that were logged after the file was written; null: not counted. */
    readonly lateRows: number | null;
  };
}

/** A job that this process runs, with its progress. */
export interface ClaimedJob extends ExportJob {
  /** Id of the run: once another run has claimed the job, updates with this id are rejected. */
  readonly runner: string;
  readonly parts: number;
  /** The SHA-256 state after the bytes stored so far; null before the first part. */
  readonly hash: string | null;
  /** Id of the multipart upload started at the bucket. */
  readonly upload: string | null;
  /** Null without a bucket, or if the credentials can no longer be decrypted. */
  readonly credentials: S3Credentials | null;
}
