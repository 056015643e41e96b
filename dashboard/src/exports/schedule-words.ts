/** Exports and their schedules in words. */
import type { Schemas } from '../api/client.ts';
import type { App } from '../api/types.ts';
import { shownValue } from '../events/filters.ts';
import { tableTime } from '../parts/format.ts';
import { visible } from '../parts/text.tsx';

export type Schedule = Schemas['ExportSchedule'];
export type Job = Schemas['Export'];
export type Format = Job['format'];
export type Due = Schedule['due'];

export const FORMATS: Readonly<Record<Format, string>> = { jsonl: 'JSON Lines', csv: 'CSV', parquet: 'Parquet' };
export const FORMAT_OPTIONS = Object.entries(FORMATS) as [Format, string][];
export const STATES: Readonly<Record<Job['state'], string>> = {
  queued: 'Waiting',
  running: 'Running',
  paused: 'Paused',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export const hourWords = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** For example `Every week on Monday, 06:00 UTC`. */
export function dueWords(due: Due): string {
  const at = `${hourWords(due.hour)} UTC`;
  if (due.every === 'day') return `Every day, ${at}`;
  return due.every === 'week'
    ? `Every week on ${due.weekday.charAt(0).toUpperCase()}${due.weekday.slice(1)}, ${at}`
    : `Every month on day ${due.day}, ${at}`;
}

/** The destination of the files, in words. */
export function placeWords(destination: Schedule['destination']): string {
  return destination.kind === 's3' ? `s3://${destination.bucket}/${destination.prefix}` : 'Stored by Weir';
}

/** The events of an export, described by its filters. */
export function whatOf({ filters, environment }: Pick<Job, 'filters' | 'environment'>, apps: readonly App[]): string {
  const parts = Object.entries(filters).map(([name, value]) => {
    const shown = name === 'from' || name === 'to' ? tableTime(value) : visible(shownValue({ name, value }, apps));
    return `${visible(name)} ${shown}`;
  });
  if (environment !== null && filters['environment'] === undefined) parts.unshift(`environment ${environment}`);
  return parts.length === 0 ? 'All events' : parts.join(', ');
}
