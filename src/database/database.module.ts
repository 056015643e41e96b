import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Database, openDatabase } from './database.js';
import { databaseOptions, type DatabaseOptions } from './database-options.js';
import { prepareTables } from './migrate.js';

/** Injection token of `DatabaseOptions`; tests override it. */
export const DATABASE_OPTIONS = Symbol('DATABASE_OPTIONS');

/** Opens the database before anything else starts, brings the embedded one's tables up to date, closes it last. */
@Module({
  providers: [
    { provide: DATABASE_OPTIONS, inject: [APP_CONFIG], useFactory: (config: AppConfig) => databaseOptions(config) },
    {
      provide: Database,
      inject: [DATABASE_OPTIONS],
      useFactory: async (options: DatabaseOptions): Promise<Database> => {
        const database = await openDatabase(options);
        try {
          await prepareTables(database);
          return database;
        } catch (error) {
          await database.close();
          throw error;
        }
      },
    },
  ],
  exports: [Database],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(Database) private readonly database: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
