import { columns } from '../output/columns.js';
import type { Erasure } from './erasure-client.js';

/** A certificate as text: the findings by place, and the remaining data. */
export function erasureText({ id, looked_for: terms, counts, problem, remains, ended_at: endedAt }: Erasure): string {
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  const rows = found.map(([place, count]) => [place.replaceAll('_', ' '), String(count)]);
  const what = terms.map(
    ({ kind, path, fingerprint }) => `  ${path === null ? kind : `metadata ${path}`}: ${fingerprint}`,
  );
  return [
    `erasure ${id}${endedAt === null ? '' : `, done ${endedAt}`}`,
    'searched for (keyed hashes)',
    ...what,
    rows.length === 0 ? 'nothing was found\n' : columns(['PLACE', 'COUNT'], rows),
    ...(problem === null ? [] : [problem, '']),
    ...(remains === null ? [] : remainsText(remains)),
  ].join('\n');
}

function remainsText({ vacuumed, bucket_files: files, audit_entries: entries, backups_before: before }: Remains) {
  return [
    `backups and write-ahead logs from before ${before} contain the data until they are deleted`,
    ...(files === 0 ? [] : [`files of exports in buckets that may contain the data: ${files}`]),
    ...(entries === 0 ? [] : [`entries of the admin audit log that contain the searched values: ${entries}`]),
    ...(vacuumed ? [] : ['old versions of rows were not cleaned up: run VACUUM']),
    '',
  ];
}

type Remains = NonNullable<Erasure['remains']>;
