import { textOption, type ArgsOf } from '../command.js';
import { usageError } from '../exit-code.js';

const FORMATS = ['jsonl', 'csv', 'parquet'] as const;

/** The flags for the file of an export. */
export const TABLE_OPTIONS = {
  format: { choices: FORMATS, default: 'jsonl', describe: 'Output format' },
  columns: textOption('Columns of CSV and Parquet in this order, separated by commas; default: all'),
  bom: {
    type: 'boolean',
    default: false,
    describe: 'Add a byte order mark so that Excel reads the CSV as UTF-8',
  },
} as const;

export type TableArgs = ArgsOf<typeof TABLE_OPTIONS>;

/** The fields of the request body for these flags. @throws CliError (exit 2) */
export function tableFlags({ format, columns, bom }: TableArgs): object {
  const names = columns?.split(',');
  if (names?.includes('') === true) throw usageError('--columns takes names separated by commas');
  return { format, ...(names === undefined ? {} : { columns: names }), ...(bom ? { bom: true } : {}) };
}
