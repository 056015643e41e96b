/**
 * All migrations, oldest first. A name stays for ever once it has run somewhere; a migration that has been released is
 * never edited. Steps are small: expand, fill in batches, contract; never a table rewrite.
 */
import { Foundations } from './2026-11-21-foundations.js';

export const MIGRATIONS = [{ name: '2026-11-21-foundations', class: Foundations }];
