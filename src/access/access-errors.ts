/** Keys, tokens or secrets cannot be read because the database does not answer: this is an outage (503), never a wrong key (401). */
export class AccessUnavailable extends Error {
  override readonly name = 'AccessUnavailable';
  readonly retryAfterSeconds = 1;
}
