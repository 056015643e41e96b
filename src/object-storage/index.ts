/**
 * Storage for files outside the database: buckets of S3-compatible services, and directories. It handles keys and bytes, and does not
 * interpret the content.
 */
export { endpointProblem } from './guarded-agent.js';
export { directoryStore } from './directory-store.js';
export { NotStored, type ObjectStore } from './object-store.js';
export { S3Bucket, S3Refused, type S3Credentials, type S3Place } from './s3-bucket.js';
export { s3Store } from './s3-store.js';
export { tryBucket } from './try-bucket.js';
