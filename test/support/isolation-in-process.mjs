/**
 * Loaded by `node --import` in a process of the built service; the URL names the isolation that remains, see
 * `isolationEnv`.
 */
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { EmbeddedDatabase } from '../../dist/src/database/embedded/embedded-database.js';
import { leftFrom, takeAway } from './isolation-layers.ts';

// The service's copy of the driver: the packages of the tests have their own.
const { Pool } = createRequire(new URL('../../package.json', import.meta.url))('pg');

const said = new URL(import.meta.url).searchParams;
const [notes, suite] = [said.get('notes'), said.get('suite')];
let isNoted = notes === null || suite === null;
takeAway(leftFrom(said.get('left')), { EmbeddedDatabase, Pool }, () => {
  if (!isNoted) appendFileSync(notes, `${suite}\n`);
  isNoted = true;
});
