/** In a process of the built service: `node --import`ed with what is left, see `isolationEnv`. */
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { EmbeddedDatabase } from '../../dist/src/database/embedded/embedded-database.js';
import { leftFrom, takeAway } from './isolation-layers.ts';

// The driver of the service: the packages of the tests have a copy of their own.
const { Pool } = createRequire(new URL('../../package.json', import.meta.url))('pg');

const said = new URL(import.meta.url).searchParams;
const [notes, suite] = [said.get('notes'), said.get('suite')];
let isNoted = notes === null || suite === null;
takeAway(leftFrom(said.get('left')), { EmbeddedDatabase, Pool }, () => {
  if (!isNoted) appendFileSync(notes, `${suite}\n`);
  isNoted = true;
});
