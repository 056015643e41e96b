/**
 * The EntityManager's configuration on both databases: one entity list, one migration list, two drivers. Only rows that
 * are written one at a time (accounts, apps, keys, tokens) are entities; see `entities/index.ts`.
 */
import type { MikroORM, Options } from '@mikro-orm/core';
import { ReflectMetadataProvider } from '@mikro-orm/decorators/legacy';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM as EmbeddedOrm } from '@mikro-orm/pglite';
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import type { EmbeddedDatabase } from './embedded/embedded-database.js';
import type { DefaultDeadline } from './default-deadline.js';
import { pgliteFacade } from './embedded/pglite-facade.js';
import { ENTITIES } from './entities/index.js';
import { MIGRATIONS } from './migrations/index.js';
import type { PostgresPoolOptions } from './database-options.js';
import { releaseEndedConnections } from './postgres/ended-connections.js';
import { poolConfig } from './postgres/pool-config.js';

function sharedOptions() {
  return {
    entities: ENTITIES,
    metadataProvider: ReflectMetadataProvider,
    extensions: [Migrator],
    migrations: {
      tableName: 'migrations',
      migrationsList: MIGRATIONS,
      snapshot: false,
      transactional: true,
      allOrNothing: true,
      disableForeignKeys: false,
    },
    // Statements and their parameters are never logged.
    debug: false,
    logger: () => undefined,
  } satisfies Partial<Options>;
}

/** Opens the EntityManager on the embedded database. Closing it leaves `database` open: the owner of `database` closes it. */
export async function openEmbeddedOrm(database: EmbeddedDatabase, deadline: DefaultDeadline): Promise<MikroORM> {
  return EmbeddedOrm.init({
    ...sharedOptions(),
    dbName: 'postgres',
    driverOptions: { pglite: () => pgliteFacade(database, deadline) },
  });
}

/**
 * Opens the EntityManager on PostgreSQL, and the pool that it shares with `PostgresDriver`.
 *
 * @param verify runs on every new connection before it is used; its error refuses the connection.
 * @param created receives the pool before its first connection is opened
 */
export async function openPostgresOrm(
  options: PostgresPoolOptions,
  verify: (client: PoolClient) => Promise<void>,
  created: (pool: Pool) => void,
): Promise<MikroORM> {
  const orm = await PostgresOrm.init({
    ...sharedOptions(),
    dbName: databaseName(options.databaseUrl),
    driverOptions: {
      ...poolConfig(options, verify),
      onPoolCreated: (pool: Pool) => {
        releaseEndedConnections(pool);
        created(pool);
      },
    },
  });
  await orm.connect();
  return orm;
}

function databaseName(databaseUrl: string): string {
  const name = URL.canParse(databaseUrl) ? decodeURIComponent(new URL(databaseUrl).pathname.slice(1)) : '';
  return name === '' ? 'postgres' : name;
}
