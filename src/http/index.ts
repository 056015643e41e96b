/**
 * The common parts of all routes: request ids, bodies, errors, log lines. It depends on no feature; features throw `WeirError`, and this
 * folder determines the answer.
 */
export { ApiDocument } from './api-docs/openapi.js';
export { bearerOf } from './bearer.js';
export { ConnectionDrain } from './connection-drain.js';
export { CSP_REPORTS_PATH, reportedPolicy } from './csp-reporting.js';
export { csvLine, csvText } from './csv.js';
export { docsLink, errorAnswer, errorHeaders, type ErrorAnswer } from './error-answer.js';
export { ErrorFilter, sendError } from './error.filter.js';
export { ERROR_STATUS } from './error-status.js';
export { retryMayHelp } from './retry-help.js';
export { createHttpAdapter } from './http-server.js';
export { HttpModule } from './http.module.js';
export { isForm } from './pages/error-page.js';
export { asPage, page, text } from './pages/layout.js';
export { jsonText, LINES_TYPES, readingJsonBody, readJsonBody } from './json-body.js';
export { createLogger, errorForLog, LOGGER, NestLogger, type Logger } from './logger.js';
export { addListeningSockets, CAN_SHARE_PORT, whenListeningEnds } from './listening-sockets.js';
export { logFailure } from './log-failure.js';
export { loggedIdOf, REQUEST_ID_HEADER, settleRequestId } from './request-id.js';
export {
  ApiQueries,
  BadParameter,
  parameter,
  readQuery,
  shownName,
  singleValue,
  type QueryOf,
  type QueryParameter,
  type QueryTable,
} from './query-parameters.js';
export { answerSchema, bodySchema, checked, readBody, readingBody } from './schema-routes.js';
export type { FinishedRequest, RequestObserver } from './request-log.js';
export { noteRefused } from './note-refused.js';
export { noteCaller, noteSubject, subjectOf, type RequestSubject } from './request-subject.js';
export { startedStream } from './started-stream.js';
export { malformedJson, toWeirError } from './to-weir-error.js';
export { pooledRandom, pooledUint32 } from './pooled-random.js';
export { firstUuidAt, uuidV7 } from './uuid-v7.js';
export { answerNoLongerStored, invalidRequest, WeirError, withoutStack, type WeirErrorOptions } from './weir-error.js';
