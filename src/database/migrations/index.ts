/**
 * All migrations, oldest first. A name never changes once the migration has run somewhere; a migration that has been released
 * is never edited. Servers of the previous version keep serving while a migration runs and after it, so a
 * migration only adds: a later version removes parts that no server uses any more. See
 * docs/adr/0077-old-and-new-versions-serve-together.md.
 * Made by `npm run gen` from the files of this folder; do not edit.
 */
import { Baseline } from './0001-baseline.js';
import { PausedExports } from './0002-paused-exports.js';
import { KeptWeeks } from './0003-kept-weeks.js';
import { Erasures } from './0004-erasures.js';
import { AnswersMadeAgain } from './0005-answers-made-again.js';
import { ArchivedParts } from './0006-archived-parts.js';
import { RequestersOfMail } from './0007-requesters-of-mail.js';
import { RefusalsByEnvironment } from './0008-refusals-by-environment.js';
import { LedgerFunctions } from './0009-ledger-functions.js';
import { LateReleases } from './0010-late-releases.js';
import { CallsWithoutPrice } from './0011-calls-without-price.js';
import { WindowsByAccount } from './0012-windows-by-account.js';
import { UnusedIndex } from './0013-unused-index.js';
import { PausesSeenBySweepers } from './0014-pauses-seen-by-sweepers.js';

export const MIGRATIONS = [
  { name: '0001-baseline', class: Baseline },
  { name: '0002-paused-exports', class: PausedExports },
  { name: '0003-kept-weeks', class: KeptWeeks },
  { name: '0004-erasures', class: Erasures },
  { name: '0005-answers-made-again', class: AnswersMadeAgain },
  { name: '0006-archived-parts', class: ArchivedParts },
  { name: '0007-requesters-of-mail', class: RequestersOfMail },
  { name: '0008-refusals-by-environment', class: RefusalsByEnvironment },
  { name: '0009-ledger-functions', class: LedgerFunctions },
  { name: '0010-late-releases', class: LateReleases },
  { name: '0011-calls-without-price', class: CallsWithoutPrice },
  { name: '0012-windows-by-account', class: WindowsByAccount },
  { name: '0013-unused-index', class: UnusedIndex },
  { name: '0014-pauses-seen-by-sweepers', class: PausesSeenBySweepers },
];
