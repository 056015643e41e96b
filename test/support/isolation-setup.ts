/**
 * Removes, in each test file, the isolation that `WEIR_TEST_ISOLATION` does not keep. Only jest's configuration loads it; see
 * scripts/test-isolation.mjs.
 */
import { createRequire } from 'node:module';
import type pg from 'pg';
import { EmbeddedDatabase } from '../../src/database/embedded/embedded-database.js';
import { leftFrom, takeAway } from './isolation-layers.js';
import { noteSuite } from './isolation-notes.js';

// The service's copy of the driver: the packages of the tests have their own.
const { Pool } = createRequire(new URL('../../package.json', import.meta.url))('pg') as typeof pg;

takeAway(leftFrom(process.env['WEIR_TEST_ISOLATION']), { EmbeddedDatabase, Pool }, noteSuite());
