/**
 * In each test file: takes away what `WEIR_TEST_ISOLATION` does not leave. Only jest's configuration runs it; see
 * scripts/test-isolation.mjs.
 */
import pg from 'pg';
import { EmbeddedDatabase } from '../../src/database/embedded/embedded-database.js';
import { leftFrom, takeAway } from './isolation-layers.js';
import { noteSuite } from './isolation-notes.js';

takeAway(leftFrom(process.env['WEIR_TEST_ISOLATION']), { EmbeddedDatabase, Pool: pg.Pool }, noteSuite());
