import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { OfflineCall } from '../../src/authoring/index.js';
import { parseJson } from '../../src/core/index.js';
import { CliError, EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { cannotRead } from '../named-files.js';

/** A body as a client would send it to the proxy. */
export interface RawBody {
  readonly file: string;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** The path below a provider's base URL, with the query. */
  readonly route: string;
}

const LIMITS = { bytes: 64 * 1024 * 1024, ratio: 100 };

/**
 * Reads a body as the proxy does: its texts, the texts of its files, and its unreadable parts.
 *
 * @throws CliError exit 1 for a body that the proxy refuses under any policy; exit 2 for a missing file
 */
export async function callOfRawBody(
  { file, contentType, contentEncoding, route }: RawBody,
  io: Io,
): Promise<Pick<OfflineCall, 'call' | 'document' | 'dialect'>> {
  const body = await bytesOf(file, io);
  // Loaded here because only this function needs server code.
  const { callOfRequest } = await import('../../src/calls/index.js');
  const { DocumentReader } = await import('../../src/documents/index.js');
  const documents = new DocumentReader();
  const headers = [
    ...(contentType === undefined ? [] : ['content-type', contentType]),
    ...(contentEncoding === undefined ? [] : ['content-encoding', contentEncoding]),
  ];
  try {
    const { call, doc = parseJson('null') } = await callOfRequest(
      { body, path: route, headers, limits: LIMITS },
      documents,
    );
    return { call, document: doc, dialect: call.dialect };
  } catch (error) {
    throw await refusedBody(error);
  } finally {
    await documents.close();
  }
}

async function refusedBody(error: unknown): Promise<unknown> {
  const { WeirError } = await import('../../src/http/index.js');
  if (!(error instanceof WeirError)) return error;
  const fields = (error.options.details ?? []).map(
    ({ path: at, message }) => `${at === '' ? 'the body' : at} ${message}`,
  );
  const why = fields.length === 0 ? error.message : fields.join('; ');
  return new CliError(EXIT.findings, `the proxy refuses this body under any policy: ${error.type}, ${why}`);
}

async function bytesOf(file: string, io: Io): Promise<Buffer> {
  try {
    return await readFile(path.resolve(io.cwd, file));
  } catch (error) {
    throw cannotRead(file, error);
  }
}
