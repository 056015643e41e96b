import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Environment } from '../../core/index.js';
import { Credential, type CredentialValues } from './credential.entity.js';

/** An API key as it is stored. It determines app and environment of a call. */
@Entity({ tableName: 'api_keys' })
export class ApiKey extends Credential {
  /** The public part of the key, 12 base62 characters; may be logged. */
  @Property({ type: 'character(12)' })
  keyId: string;

  @Property({ type: 'uuid' })
  appId: string;

  @Property({ type: 'text' })
  environment: Environment;

  constructor(values: CredentialValues & { keyId: string; appId: string; environment: Environment }) {
    super(values);
    this.keyId = values.keyId;
    this.appId = values.appId;
    this.environment = values.environment;
  }
}
