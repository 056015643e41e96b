import type { StoredAnswer } from '../events/index.js';

/** The same was stored before: nothing was stored now. */
export class StoredBefore extends Error {
  override readonly name = 'StoredBefore';

  constructor(readonly stored: StoredAnswer) {
    super('the same call was stored before');
  }
}
