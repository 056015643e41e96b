/** Validates a requested export, including combinations of its fields. Every refusal names the field. */
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Reach } from '../access/index.js';
import type { AppConfig } from '../config/index.js';
import { readEventQuery, type ExportFormat } from '../events/index.js';
import { invalidRequest, WeirError } from '../http/index.js';
import type { NEW_DESTINATION } from './api-schemas.js';
import type { ExportDestination, ExportOrder } from './export-job.js';
import { endpointProblem, type S3Credentials } from '../object-storage/index.js';

type NewDestination = z.infer<typeof NEW_DESTINATION>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Parameters of a listing that select its page or form: they are no filters of an export. */
const NO_FILTERS: readonly string[] = ['limit', 'cursor', 'order', 'view', 'fields'];

export interface WantedOrder {
  readonly format: ExportFormat;
  readonly filters?: Readonly<Record<string, string>> | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly bom?: boolean | undefined;
  readonly destination?: NewDestination | undefined;
}

export interface ReadOrder {
  readonly order: ExportOrder;
  readonly credentials?: S3Credentials;
}

/** @throws {WeirError} 422 naming contradictory fields, invalid filters or a forbidden endpoint */
export function readOrder(
  { format, filters = {}, columns, bom = false, destination }: WantedOrder,
  manager: Reach,
  settings: AppConfig['exports'],
): ReadOrder {
  checkTable({ format, columns, bom });
  checkFilters(filters, manager);
  const { place, ...more } = readDestination(destination, settings);
  const order = { format, filters, bom, destination: place, ...(columns === undefined ? {} : { columns }) };
  return { order, ...more };
}

/** @throws {WeirError} 422 for options that only table formats have */
export function checkTable({ format, columns, bom }: Pick<WantedOrder, 'format' | 'columns' | 'bom'>): void {
  if (columns !== undefined && format === 'jsonl') {
    throw invalidRequest([
      { path: 'columns', message: 'are for CSV and Parquet only: JSON Lines always contain whole events' },
    ]);
  }
  if (bom === true && format !== 'csv') throw invalidRequest([{ path: 'bom', message: 'is for CSV only' }]);
}

/** @throws {WeirError} 422 naming each unknown or invalid filter */
export function checkFilters(filters: Readonly<Record<string, string>>, manager: Reach): void {
  const wrong = Object.keys(filters).filter((name) => NO_FILTERS.includes(name));
  if (wrong.length > 0)
    throw invalidRequest(wrong.map((name) => ({ path: `filters.${name}`, message: 'is not a filter' })));
  try {
    readEventQuery(filters, manager);
  } catch (error) {
    if (!(error instanceof WeirError) || error.options.details === undefined) throw error;
    throw invalidRequest(error.options.details.map(({ path, ...rest }) => ({ ...rest, path: `filters.${path}` })));
  }
}

/** @throws {WeirError} 422 for an endpoint to which exports may not be sent */
export function readDestination(
  wanted: NewDestination | undefined,
  { endpoints }: AppConfig['exports'],
  at = 'destination.',
): { readonly place: ExportDestination; readonly credentials?: S3Credentials } {
  if (wanted === undefined || wanted.kind === 'download') return { place: { kind: 'download' } };
  const { kind, bucket, region, prefix = '', endpoint, credentials } = wanted;
  const problem = endpoint === undefined ? undefined : endpointProblem(endpoint, endpoints);
  if (problem !== undefined) throw invalidRequest([{ path: `${at}endpoint`, message: problem }]);
  const { access_key_id, secret_access_key, session_token } = credentials;
  const accessKeyEnds = access_key_id.slice(-4);
  return {
    place: { kind, bucket, region, prefix, accessKeyEnds, ...(endpoint === undefined ? {} : { endpoint }) },
    credentials: { access_key_id, secret_access_key, ...(session_token === undefined ? {} : { session_token }) },
  };
}

/** @throws {WeirError} 404 for a malformed id, as for an unknown one */
export function idOf(request: FastifyRequest): string {
  const { id } = request.params as { readonly id: string };
  if (!UUID.test(id)) throw new WeirError('not_found');
  return id.toLowerCase();
}
