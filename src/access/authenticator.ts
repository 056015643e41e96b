import type { CredentialRow, CredentialLookup } from './credential-lookup.js';
import { whyRefused, type WantedCredential } from './refused-credential.js';

/** Tells who holds a credential from the credential alone. */
export abstract class Authenticator<Row extends CredentialRow, Holder> {
  protected constructor(
    protected readonly lookup: CredentialLookup<Row, Holder>,
    private readonly wanted: WantedCredential,
  ) {}

  /**
   * The holder of what was presented; null when it is missing, malformed, mistyped, unknown, deleted or expired. A deletion works at once here, and within a second in any case.
   *
   * @throws AccessUnavailable when the database does not answer
   */
  authenticate(presented: string | undefined): Promise<Holder | null> {
    return this.lookup.find(presented);
  }

  /**
   * What the client is told whose credential `authenticate` has refused. Whether there is, or was, one of that id is told to
   * nobody but who has the whole of it.
   */
  whyRefused(presented: string | undefined): string {
    const expiredAt = this.lookup.expiredAt(presented);
    if (expiredAt === undefined) return whyRefused(presented, this.wanted);
    return `The ${this.wanted === 'key' ? 'API key' : 'management token'} expired on ${expiredAt.toISOString().slice(0, 10)}`;
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
