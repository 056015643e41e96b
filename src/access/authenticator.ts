import type { PresentedCredential } from './credential.js';
import type { CredentialRow, CredentialLookup } from './credential-lookup.js';

/** Determines the holder of a credential from the credential alone. */
export abstract class Authenticator<Row extends CredentialRow, Holder> {
  protected constructor(protected readonly lookup: CredentialLookup<Row, Holder>) {}

  /**
   * The holder of the presented credential; null when it is missing, malformed, mistyped, unknown, deleted or expired. A deletion takes
   * effect at once if this process is notified, and within a second in any case. A cached holder is returned without a promise.
   *
   * @throws AccessUnavailable when the database does not answer
   */
  authenticate(presented: string | PresentedCredential | undefined): Holder | null | Promise<Holder | null> {
    return this.lookup.find(presented);
  }

  /** Drops the cached holders of an account, or of all accounts: the next use queries the database again. */
  forget(accountId?: string): void {
    this.lookup.forget(accountId);
  }

  /** Resolves when nothing is being written in the background. */
  settle(): Promise<void> {
    return this.lookup.settle();
  }
}
