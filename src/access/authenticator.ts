import type { CredentialRow, CredentialLookup } from './credential-lookup.js';

/** Determines the holder of a credential from the credential alone. */
export abstract class Authenticator<Row extends CredentialRow, Holder> {
  protected constructor(protected readonly lookup: CredentialLookup<Row, Holder>) {}

  /**
   * The holder of what was presented; null when it is missing, malformed, mistyped, unknown, deleted or expired. A deletion
   * works at once here, and within a second in any case.
   *
   * @throws AccessUnavailable when the database does not answer
   */
  authenticate(presented: string | undefined): Promise<Holder | null> {
    return this.lookup.find(presented);
  }

  /** Forgets who holds what of an account, or of all: the next use asks the database again. */
  forget(accountId?: string): void {
    this.lookup.forget(accountId);
  }

  /** Resolves when nothing is being written in the background. */
  settle(): Promise<void> {
    return this.lookup.settle();
  }
}
