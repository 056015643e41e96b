import { WeirError } from '../http/index.js';

/** The log did not confirm a record. The record may be stored nevertheless, for example if only the confirmation was lost. */
export class NotRecorded extends WeirError {
  /** @param refusal the error for the client */
  constructor({ type, message, options }: WeirError) {
    super(type, { ...options, message });
  }
}
