import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Environment } from '../../core/index.js';
import { Credential, type CredentialValues } from './credential.entity.js';

/** A management token as it is stored: it defines what a CLI or a CI job may do with an account. */
@Entity({ tableName: 'management_tokens' })
export class ManagementToken extends Credential {
  /** The public part of the token, 12 base62 characters; may be logged. */
  @Property({ type: 'character(12)' })
  tokenId: string;

  @Property({ type: 'text[]', columnType: 'text[]' })
  scopes: string[];

  /** Set if the token is restricted to one environment. */
  @Property({ type: 'text', nullable: true })
  environment: Environment | null;

  constructor(values: CredentialValues & { tokenId: string; scopes: string[]; environment?: Environment }) {
    super(values);
    this.tokenId = values.tokenId;
    this.scopes = values.scopes;
    this.environment = values.environment ?? null;
  }
}
