/** In a process of the built service: `node --import`ed with what is left, see `isolationEnv`. */
import { appendFileSync } from 'node:fs';
import pg from 'pg';
import { EmbeddedDatabase } from '../../dist/src/database/embedded/embedded-database.js';
import { leftFrom, takeAway } from './isolation-layers.ts';

const said = new URL(import.meta.url).searchParams;
const [notes, suite] = [said.get('notes'), said.get('suite')];
let isNoted = notes === null || suite === null;
takeAway(leftFrom(said.get('left')), { EmbeddedDatabase, Pool: pg.Pool }, () => {
  if (!isNoted) appendFileSync(notes, `${suite}\n`);
  isNoted = true;
});
