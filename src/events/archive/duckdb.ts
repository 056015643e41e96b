/** DuckDB, which reads Parquet files. It is an optional peer dependency: only searches of the archive need it. */
import { existsSync } from 'node:fs';
import { invalidRequest } from '../../http/index.js';
import { openCopiesFolder, type CopiesFolder } from './copies-folder.js';

const DUCKDB_PACKAGE = '@duckdb/node-api';
const VERSION = '1.5.5-r.5';
const SETTINGS = [
  `SET memory_limit = '512MB'`,
  'SET threads = 1',
  'SET autoinstall_known_extensions = false',
  'SET autoload_known_extensions = false',
];

/** The part of the package that Weir uses. */
export interface DuckDb {
  readonly DuckDBInstance: { create(path: string): Promise<DuckInstance> };
}
interface DuckInstance {
  connect(): Promise<DuckConnection>;
  closeSync(): void;
}
interface DuckConnection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ columnNames(): string[]; getRowsJS(): unknown[][] }>;
  closeSync(): void;
}

export interface DuckRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Queries Parquet files; DuckDB is opened at the first query. */
export class ParquetQueries {
  private instance: Promise<DuckInstance> | undefined;
  private folder: CopiesFolder | undefined;

  /** @param load imports the package; tests replace it */
  constructor(private readonly load: () => Promise<DuckDb> = () => import(DUCKDB_PACKAGE) as Promise<DuckDb>) {}

  /** @throws {WeirError} 422 with the next step if DuckDB is not installed */
  async rows(sql: string): Promise<DuckRows> {
    // Another machine with the same folder for temporary files may have deleted this process's folder in it.
    if (this.folder !== undefined && !existsSync(this.folder.path)) await this.close();
    this.instance ??= this.open();
    const instance = await this.instance.catch((error: unknown) => {
      this.instance = undefined;
      throw error;
    });
    const connection = await instance.connect();
    try {
      const answer = await connection.runAndReadAll(sql);
      return { columns: answer.columnNames(), rows: answer.getRowsJS() };
    } finally {
      connection.closeSync();
    }
  }

  async close(): Promise<void> {
    const instance = await this.instance?.catch(() => undefined);
    this.instance = undefined;
    instance?.closeSync();
    await this.folder?.close();
    this.folder = undefined;
  }

  private async open(): Promise<DuckInstance> {
    const { DuckDBInstance } = await this.load().catch(missing);
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    this.folder ??= await openCopiesFolder();
    // The default is the working directory, where the events would remain if this process were killed.
    const place = `SET temp_directory = ${literal(this.folder.path)}`;
    for (const setting of [...SETTINGS, place]) await connection.run(setting);
    connection.closeSync();
    return instance;
  }
}

/** A text in a statement of DuckDB, which has no escapes except doubled quotes. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** @throws {WeirError} 422 */
function missing(cause: unknown): never {
  if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
  const next = `npm install ${DUCKDB_PACKAGE}@${VERSION}, then restart the server`;
  throw invalidRequest(
    [{ path: 'archive', message: `needs DuckDB on the server: ${next}` }],
    'The archive is searched with DuckDB, which is not installed on this server',
  );
}
