import { digitsOf, passesLuhn, type Pattern } from '../../src/core/plugin-api.js';
import {
  isAfm,
  isCcc,
  isCif,
  isClabe,
  isHungarianTax,
  isNhi,
  isNit,
  isRfc,
  isRuc,
  isSocialSecurity,
  isTaj,
  isUkrainianTax,
  isUtr,
  isVin,
} from './named-checks.js';
import { IDENTITY_PATTERNS } from './named-identities.js';
import { named, type NamedCode } from './named-number.js';

/**
 * The forms of the European Commission's VIES, and those of the United Kingdom, Switzerland and Norway. Germany has a code of its own,
 * with a check digit.
 */
const VAT_FORMS = [
  String.raw`AT ?U\d{8}`,
  String.raw`BE ?[01]\d{3}\.?\d{3}\.?\d{3}`,
  String.raw`BG ?\d{9,10}`,
  String.raw`CY ?\d{8}[A-Z]`,
  String.raw`(?:CZ|RO) ?\d{8,10}`,
  String.raw`(?:DK|FI|HU|LU|MT|SI) ?\d{8}`,
  String.raw`(?:EE|EL|GR|PT) ?\d{9}`,
  String.raw`ES ?[A-Z0-9]\d{7}[A-Z0-9]`,
  String.raw`FR ?[A-HJ-NP-Z0-9]{2} ?\d{3} ?\d{3} ?\d{3}`,
  String.raw`GB ?\d{3} ?\d{4} ?\d{2}(?: ?\d{3})?`,
  String.raw`(?:HR|IT|LV) ?\d{11}`,
  String.raw`IE ?\d[A-Z0-9+*]\d{5}[A-Z]{1,2}`,
  String.raw`LT ?(?:\d{9}|\d{12})`,
  String.raw`NL ?\d{9}B\d{2}`,
  String.raw`(?:PL|SK) ?\d{10}`,
  String.raw`SE ?\d{10}01`,
  String.raw`CHE[- ]?\d{3}\.?\d{3}\.?\d{3}(?: (?:MWST|TVA|IVA))?`,
  String.raw`NO ?\d{3} ?\d{3} ?\d{3} ?MVA`,
];
const VAT_WORDS = [
  ...['vat', 'vat id', 'vat no', 'vat number', 'vat reg', 'vat registration', 'vat registration number', 'vatin'],
  ...['tva', 'n° tva', 'btw', 'btw-nummer', 'iva', 'p.iva', 'p. iva', 'partita iva', 'uid-nummer', 'ust-id', 'ustid'],
  ...['ust-idnr', 'ust-id-nr', 'mwst', 'mwst-nr', 'moms', 'momsreg', 'alv', 'dph', 'dič', 'áfa', 'nip', 'pvm', 'nif'],
];

const PATIENT_WORDS = [
  ...['mrn', 'medical record number', 'medical record no', 'medical record', 'patient id', 'patient no'],
  ...['patient number', 'hospital number', 'numéro de patient', 'historia clínica'],
];
const INSURANCE_WORDS = [
  ...['health card', 'health card number', 'health insurance number', 'health insurance id', 'health plan id'],
  ...['insurance id', 'insurance member id', 'health plan member id', 'plan member id', 'medicaid', 'medicaid id'],
  ...['medicaid number', 'versichertennr', 'versichertennummer', 'krankenversicherungsnummer'],
];

const HEALTH_PATTERNS = [
  named({ code: 'HEALTH_ID', shape: String.raw`[A-Z]{0,4}-?\d{6,12}`, words: PATIENT_WORDS }),
  named({
    code: 'HEALTH_ID',
    shape: String.raw`\d{4}[ -]\d{3}[ -]\d{3}(?:[ -][A-Z]{2})?|[A-Z]{0,4}-?\d{8,12}[A-Z]?`,
    words: INSURANCE_WORDS,
  }),
  named({ code: 'HEALTH_ID', shape: String.raw`\d{4}[ -]?\d{3}[ -]?\d{3}(?:[ -]?[A-Z]{2})?`, words: ['ohip'] }),
  named({ code: 'HEALTH_ID', shape: String.raw`[A-Z]{4} ?\d{4} ?\d{4}`, words: ['ramq'] }),
  named({ code: 'HEALTH_ID', shape: String.raw`[A-Z]{3}\d{4}`, words: ['nhi', 'nhi number'], check: isNhi }),
  named({ code: 'HEALTH_ID', shape: String.raw`80\d{18}`, words: ['ehic', 'tessera sanitaria'] }),
  named({ code: 'HEALTH_ID', shape: String.raw`\d{3}[ -]?\d{3}[ -]?\d{3}`, words: ['taj', 'taj szám'], check: isTaj }),
  named({
    code: 'HEALTH_ID',
    shape: String.raw`\d{2}[ /-]?\d{8}[ /-]?\d{2}|\d{11}`,
    words: ['nuss', 'seguridad social', 'afiliación', 'nss', 'imss'],
    check: isSocialSecurity,
  }),
];

const TAX_PATTERNS = [
  named({ code: 'TAX_NUMBER', shape: String.raw`\d{2}-\d{7}`, words: ['ein', 'fein'], inCapitals: true }),
  named({
    code: 'TAX_NUMBER',
    shape: String.raw`\d{2}-\d{7}`,
    words: ['employer identification', 'employer identification number', 'federal tax id', 'tax id', 'tax id number'],
  }),
  named({
    code: 'TAX_NUMBER',
    shape: String.raw`[A-ZÑ&]{3,4}-?\d{6}-?[A-Z0-9]{3}`,
    words: ['rfc', 'registro federal de contribuyentes'],
    check: isRfc,
  }),
  named({
    code: 'TAX_NUMBER',
    shape: String.raw`\d{2,3}[/ ]\d{3,4}[/ ]\d{4,5}`,
    words: ['steuernummer', 'steuernr', 'steuer-nr', 'st.-nr', 'stnr'],
  }),
  named({ code: 'TAX_NUMBER', shape: String.raw`\d{3}\.?\d{3}\.?\d{3}-\d`, words: ['nit'], check: isNit }),
  named({ code: 'TAX_NUMBER', shape: String.raw`(?:10|15|16|17|20)\d{9}`, words: ['ruc'], check: isRuc }),
  named({ code: 'TAX_NUMBER', shape: String.raw`[A-HJNP-SUVW]-?\d{7}[0-9A-J]`, words: ['cif'], check: isCif }),
  named({
    code: 'TAX_NUMBER',
    shape: String.raw`\d{5} ?\d{5}`,
    words: ['utr', 'unique taxpayer reference', 'taxpayer reference'],
    check: isUtr,
  }),
  named({ code: 'TAX_NUMBER', shape: String.raw`\d{9}`, words: ['αφμ', 'α.φ.μ.', 'afm'], check: isAfm }),
  named({
    code: 'TAX_NUMBER',
    shape: String.raw`8\d{9}`,
    words: ['adóazonosító', 'adóazonosító jel'],
    check: isHungarianTax,
  }),
  named({ code: 'TAX_NUMBER', shape: String.raw`\d{10}`, words: ['іпн', 'рнокпп'], check: isUkrainianTax }),
];

const ACCOUNT_WORDS = [
  ...['account number', 'account no', 'account num', 'acct no', 'acct number', 'bank account', 'bank account number'],
  ...['bank account no', 'checking account', 'checking account number', 'savings account', 'savings account number'],
  ...['kontonummer', 'kontonr', 'konto-nr', 'numéro de compte', 'numero de compte', 'número de cuenta'],
  ...['numero de cuenta', 'cuenta bancaria', 'número da conta', 'numero da conta', 'conto corrente'],
  ...['numero di conto', 'rekeningnummer', 'numer konta', '口座番号', '账号', '银行账号', '계좌번호', 'номер счета'],
  ...['номер счёта'],
];
const ACCOUNT_PATTERNS = [
  named({
    code: 'BANK_ACCOUNT',
    shape: String.raw`\d{8,17}|\d{4}(?: \d{4}){1,3}|\d{3}-\d{6,7}|\d{5,7}-[\dX]`,
    words: ACCOUNT_WORDS,
  }),
  named({ code: 'BANK_ACCOUNT', shape: String.raw`\d{2}-\d{2}-\d{2}`, words: ['sort code'] }),
  named({ code: 'BANK_ACCOUNT', shape: String.raw`\d{3}-\d{3}`, words: ['bsb', 'bsb number'] }),
  named({ code: 'BANK_ACCOUNT', shape: String.raw`[1-8]\d{2} ?\d{3} ?\d{2}`, words: ['bankleitzahl', 'blz'] }),
  named({ code: 'BANK_ACCOUNT', shape: String.raw`\d{18}`, words: ['clabe', 'clabe interbancaria'], check: isClabe }),
  named({
    code: 'BANK_ACCOUNT',
    shape: String.raw`\d{4}[ -]?\d{4}[ -]?\d{2}[ -]?\d{10}`,
    words: ['ccc', 'código cuenta cliente', 'cuenta'],
    check: isCcc,
  }),
];

export const NAMED_PATTERNS: readonly Pattern<NamedCode>[] = [
  ...IDENTITY_PATTERNS,
  ...HEALTH_PATTERNS,
  ...TAX_PATTERNS,
  ...ACCOUNT_PATTERNS,
  named({ code: 'VAT_ID', shape: VAT_FORMS.join('|'), words: VAT_WORDS }),
  named({
    code: 'CARD_CODE',
    shape: String.raw`\d{3,4}`,
    words: [
      ...['cvv', 'cvc', 'cvv2', 'cvc2', 'cvv/cvc', 'cvv code', 'cvc code', 'card security code'],
      ...['card verification', 'card verification code', 'card verification value'],
    ],
  }),
  named({
    code: 'DEVICE_ID',
    shape: String.raw`\d{2}[ -]?\d{6}[ -]?\d{6}[ -]?\d`,
    words: ['imei'],
    check: (match) => passesLuhn(digitsOf(match)),
  }),
  named({ code: 'DEVICE_ID', shape: String.raw`[2-7]\d{14}`, words: ['imsi'] }),
  named({ code: 'DEVICE_ID', shape: String.raw`89\d{16,18}`, words: ['iccid', 'sim card', 'sim card number'] }),
  named({
    code: 'VEHICLE_ID',
    shape: '[A-HJ-NPR-Z0-9]{17}',
    words: [
      ...['vin', 'vin number', 'chassis', 'chassis number', 'vehicle identification'],
      ...['vehicle identification number', 'fahrgestellnummer', 'bastidor', 'telaio', 'châssis'],
    ],
    check: isVin,
  }),
];
