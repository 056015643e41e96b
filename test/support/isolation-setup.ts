/**
 * In each test file: takes away what `WEIR_TEST_ISOLATION` does not leave. Only jest's configuration runs it; see
 * scripts/test-isolation.mjs.
 */
import { createRequire } from 'node:module';
import type pg from 'pg';
import { EmbeddedDatabase } from '../../src/database/embedded/embedded-database.js';
import { leftFrom, takeAway } from './isolation-layers.js';
import { noteSuite } from './isolation-notes.js';

// The driver of the service: the packages of the tests have a copy of their own.
const { Pool } = createRequire(new URL('../../package.json', import.meta.url))('pg') as typeof pg;

takeAway(leftFrom(process.env['WEIR_TEST_ISOLATION']), { EmbeddedDatabase, Pool }, noteSuite());
