import type { Argv } from 'yargs';
import type { GlobalArgs } from '../command.js';
import { usageError } from '../exit-code.js';

const FORMATS = ['jsonl', 'csv', 'parquet'] as const;

/** How the file of an export looks. */
export interface TableArgs extends GlobalArgs {
  readonly format: (typeof FORMATS)[number];
  readonly columns: string | undefined;
  readonly bom: boolean;
}

export function tableOptions<Args extends GlobalArgs>(parser: Argv<Args>): Argv<Args & TableArgs> {
  return parser
    .option('format', { choices: FORMATS, default: 'jsonl' as const, describe: 'File format' })
    .option('columns', {
      type: 'string',
      requiresArg: true,
      describe: 'Columns of CSV and Parquet in this order, separated by commas; default: all',
    })
    .option('bom', {
      type: 'boolean',
      default: false,
      describe: 'Add a byte order mark so that Excel reads the CSV as UTF-8',
    }) as unknown as Argv<Args & TableArgs>;
}

/** The fields of the body. @throws CliError (exit 2) */
export function tableFlags({ format, columns, bom }: TableArgs): object {
  const names = columns?.split(',');
  if (names?.includes('') === true) throw usageError('--columns takes names with commas between them');
  return { format, ...(names === undefined ? {} : { columns: names }), ...(bom ? { bom: true } : {}) };
}
