/** The entry point for events that clients submit: `POST /v1/events`. It parses and answers; `src/calls` does the rest. */
export { IngestModule } from './ingest.module.js';
