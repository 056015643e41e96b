import { Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Database, openDatabase } from './database.js';
import { DatabaseClock } from './database-clock.js';
import { openBackupSocket } from './embedded/backup-socket.js';
import { databaseOptions } from './database-options.js';
import { prepareTables } from './migrate.js';
import { VERSION } from '../version.js';

/** Opens the database before all other parts start, migrates the embedded one, and closes it last. */
@Module({
  providers: [
    {
      provide: Database,
      inject: [APP_CONFIG],
      useFactory: async (config: AppConfig): Promise<Database> => {
        const logger = new Logger('database');
        const report = (isUsed: boolean, message: string): void =>
          isUsed ? logger.log(message) : logger.warn(message);
        const database = await openDatabase(databaseOptions(config, report));
        try {
          await prepareTables(database);
          database.replica?.start();
          const { backup } = database;
          if (backup !== undefined) {
            database.beforeClose(
              await openBackupSocket(config.dataDir, (to) => backup(to, VERSION), database.answerers),
            );
          }
          return database;
        } catch (error) {
          await database.close();
          throw error;
        }
      },
    },
    { provide: DatabaseClock, inject: [Database], useFactory: ({ clock }: Database) => clock },
  ],
  exports: [Database, DatabaseClock],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(Database) private readonly database: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
