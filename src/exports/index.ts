/** Exports as background jobs: files of events. This folder reads the log and changes nothing in it. */
export { ExportsModule } from './exports.module.js';
export { dropParts, lockExports } from './new-export.js';
export { begunUploads, PendingUploads, type BegunUpload } from './pending-uploads.js';
export { seal, unseal } from './sealed.js';
