/** Weir's code for an entity of another system. */
export interface Entity {
  readonly detector: 'pii' | 'secrets';
  readonly code: string;
}

const pii = (code: string): Entity => ({ detector: 'pii', code });
const secret = (code: string): Entity => ({ detector: 'secrets', code });

/** Entities by the names of Presidio (which LiteLLM and NeMo use), of Bedrock, and of LiteLLM's prebuilt patterns, in capitals. */
const NAMES: Readonly<Record<string, Entity>> = {
  ABA_ROUTING_NUMBER: pii('US_ABA_ROUTING'),
  AU_DRIVERSLICENSE: pii('DRIVER_LICENSE'),
  AWS_ACCESS_KEY: secret('aws_access_key'),
  AWS_SECRET_KEY: secret('aws_secret_key'),
  CA_SOCIAL_INSURANCE_NUMBER: pii('CA_SIN'),
  CREDIT_DEBIT_CARD_NUMBER: pii('CREDIT_CARD'),
  CRYPTO: pii('CRYPTO_ADDRESS'),
  DE_TAX_NUMBER: pii('DE_TAX_ID'),
  DRIVER_ID: pii('DRIVER_LICENSE'),
  EMAIL_ADDRESS: pii('EMAIL'),
  ES_PASSPORT: pii('PASSPORT'),
  GITHUB_TOKEN: secret('github_pat'),
  IBAN_CODE: pii('IBAN'),
  IN_PASSPORT: pii('PASSPORT'),
  INTERNATIONAL_BANK_ACCOUNT_NUMBER: pii('IBAN'),
  IPV4: pii('IP_ADDRESS'),
  IPV6: pii('IP_ADDRESS'),
  IT_DRIVER_LICENSE: pii('DRIVER_LICENSE'),
  IT_PASSPORT: pii('PASSPORT'),
  LOCATION: pii('LOCATION'),
  NAME: pii('PERSON'),
  PHONE_NUMBER: pii('PHONE'),
  SG_NRIC_FIN: pii('SG_NRIC'),
  SLACK_TOKEN: secret('slack_token'),
  UK_NATIONAL_HEALTH_SERVICE_NUMBER: pii('UK_NHS'),
  UK_NATIONAL_INSURANCE_NUMBER: pii('UK_NINO'),
  US_BANK_ROUTING_NUMBER: pii('US_ABA_ROUTING'),
  US_DRIVER_LICENSE: pii('DRIVER_LICENSE'),
  US_INDIVIDUAL_TAX_IDENTIFICATION_NUMBER: pii('US_ITIN'),
  US_PASSPORT: pii('PASSPORT'),
  US_PASSPORT_NUMBER: pii('PASSPORT'),
  US_PHONE: pii('PHONE'),
  US_SOCIAL_SECURITY_NUMBER: pii('US_SSN'),
  US_SSN_NO_DASH: pii('US_SSN'),
  VISA: pii('CREDIT_CARD'),
  MASTERCARD: pii('CREDIT_CARD'),
  AMEX: pii('CREDIT_CARD'),
  DISCOVER: pii('CREDIT_CARD'),
};

/** The entities that Presidio finds by patterns by default. */
export const USUAL_ENTITIES = [
  'CREDIT_CARD',
  'CRYPTO',
  'EMAIL_ADDRESS',
  'IBAN_CODE',
  'IP_ADDRESS',
  'PHONE_NUMBER',
  'US_SSN',
];

/** Presidio's recognizers whose entity does not follow from their names, as `US_SSN` does from `UsSsnRecognizer`. */
const RECOGNIZERS: Readonly<Record<string, string>> = {
  AbaRoutingRecognizer: 'ABA_ROUTING_NUMBER',
  EmailRecognizer: 'EMAIL_ADDRESS',
  InAadhaarRecognizer: 'IN_AADHAAR',
  ItDriverLicenseRecognizer: 'IT_DRIVER_LICENSE',
  NhsRecognizer: 'UK_NHS',
  PhoneRecognizer: 'PHONE_NUMBER',
  SgFinRecognizer: 'SG_NRIC_FIN',
  UkNinoRecognizer: 'UK_NINO',
  UsLicenseRecognizer: 'US_DRIVER_LICENSE',
};

/**
 * The entity for a name of another system; undefined if no detector has it.
 *
 * @param codes the codes of each detector
 */
export function entityNamed(
  name: string,
  codes: Readonly<Record<Entity['detector'], ReadonlySet<string>>>,
): Entity | undefined {
  const upper = name.toUpperCase();
  const entity = NAMES[upper] ?? (codes.secrets.has(name.toLowerCase()) ? secret(name.toLowerCase()) : pii(upper));
  return codes[entity.detector].has(entity.code) ? entity : undefined;
}

/** The name of the entity that a recognizer of Presidio finds, derived from the recognizer's name. */
export function entityOfRecognizer(name: string): string {
  const words = name.replace(/Recognizer$/, '').replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return RECOGNIZERS[name] ?? words.toUpperCase();
}
