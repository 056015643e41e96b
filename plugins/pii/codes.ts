import type { CodeInfo } from '../../src/core/plugin-api.js';
import type { AddressCode } from './address/address.js';
import type { ContactCode } from './contact.js';
import type { DateCode } from './dates.js';
import type { DocumentCode } from './documents.js';
import type { FinanceCode } from './finance.js';
import type { AmericasAfricaCode } from './national/americas-africa.js';
import type { AsiaPacificCode } from './national/asia-pacific.js';
import type { EastCode } from './national/europe-east.js';
import type { NorthCode } from './national/europe-north.js';
import type { WestCode } from './national/europe-west.js';
import type { NamedCode } from './named-number.js';
import type { UnitedStatesCode } from './united-states.js';

export type NationalCode = NorthCode | WestCode | EastCode | AsiaPacificCode | AmericasAfricaCode;

export type PiiCode =
  | AddressCode
  | ContactCode
  | DateCode
  | DocumentCode
  | FinanceCode
  | UnitedStatesCode
  | NamedCode
  | NationalCode
  | 'PHONE'
  | 'PERSON'
  | 'LOCATION'
  | 'NRP'
  | 'ORGANIZATION'
  | 'CRYPTO_ADDRESS';

const on = (title: string, minScore = 0.5): CodeInfo => ({ title, enabled: true, minScore });
const off = (title: string, minScore = 0.5): CodeInfo => ({ title, enabled: false, minScore });

/** Titles of the national identifiers; all are enabled by default, with a minimum score of 0.5. */
const NATIONAL: Readonly<Record<NationalCode, string>> = {
  UK_NHS: 'United Kingdom: NHS number',
  UK_NINO: 'United Kingdom: National Insurance number',
  UK_VEHICLE_REGISTRATION: 'United Kingdom: vehicle registration mark since 2001',
  IE_PPS: 'Ireland: Personal Public Service number',
  SE_PERSONNUMMER: 'Sweden: personal identity number',
  SE_ORGANISATIONSNUMMER: 'Sweden: organisation number',
  FI_PERSONAL_IDENTITY_CODE: 'Finland: personal identity code',
  NO_FODSELSNUMMER: 'Norway: national identity number',
  DK_CPR: 'Denmark: CPR number',
  EE_ISIKUKOOD: 'Estonia: personal identification code',
  LT_ASMENS_KODAS: 'Lithuania: personal code',
  DE_TAX_ID: 'Germany: tax identification number',
  DE_SOCIAL_SECURITY: 'Germany: pension insurance number',
  DE_HEALTH_INSURANCE: 'Germany: health insurance number',
  DE_ID_CARD: 'Germany: identity card number',
  DE_VAT_ID: 'Germany: VAT identification number',
  DE_LANR: 'Germany: physician number',
  AT_SVNR: 'Austria: social insurance number',
  CH_AHV: 'Switzerland: OASI number',
  FR_NIR: 'France: social security number',
  BE_NATIONAL_NUMBER: 'Belgium: national register number',
  NL_BSN: 'Netherlands: citizen service number',
  ES_NIF: 'Spain: tax identification number of citizens',
  ES_NIE: 'Spain: identity number of foreigners',
  PT_NIF: 'Portugal: tax identification number',
  IT_FISCAL_CODE: 'Italy: fiscal code',
  IT_VAT_CODE: 'Italy: VAT number',
  IT_IDENTITY_CARD: 'Italy: identity card number',
  PL_PESEL: 'Poland: PESEL number',
  PL_NIP: 'Poland: tax identification number',
  CZ_RODNE_CISLO: 'Czechia and Slovakia: birth number',
  RO_CNP: 'Romania: personal numeric code',
  BG_EGN: 'Bulgaria: uniform civil number',
  HR_OIB: 'Croatia: personal identification number',
  GR_AMKA: 'Greece: social security number',
  RU_SNILS: 'Russia: pension insurance number',
  RU_INN: 'Russia: tax number of persons',
  TR_NATIONAL_ID: 'Turkey: identification number',
  TR_LICENSE_PLATE: 'Turkey: licence plate',
  IN_AADHAAR: 'India: Aadhaar number',
  IN_PAN: 'India: permanent account number',
  IN_GSTIN: 'India: goods and services tax number',
  IN_VOTER: 'India: voter id',
  IN_VEHICLE_REGISTRATION: 'India: vehicle registration',
  SG_NRIC: 'Singapore: NRIC or FIN',
  SG_UEN: 'Singapore: unique entity number',
  MY_NRIC: 'Malaysia: identity card number',
  TH_TNIN: 'Thailand: national identification number',
  PH_TIN: 'Philippines: taxpayer identification number',
  CN_RESIDENT_ID: 'China: resident identity number',
  HK_ID: 'Hong Kong: identity card number',
  TW_ID: 'Taiwan: national identification number',
  JP_MY_NUMBER: 'Japan: individual number',
  KR_RRN: 'Korea: resident registration number',
  KR_FRN: 'Korea: foreigner registration number',
  KR_BRN: 'Korea: business registration number',
  IL_ID: 'Israel: identity number',
  AU_TFN: 'Australia: tax file number',
  AU_ABN: 'Australia: business number',
  AU_ACN: 'Australia: company number',
  AU_MEDICARE: 'Australia: Medicare number',
  NZ_IRD: 'New Zealand: IRD number',
  US_NPI: 'United States: national provider identifier',
  US_MBI: 'United States: Medicare beneficiary identifier',
  US_ABA_ROUTING: 'United States: bank routing number',
  CA_SIN: 'Canada: social insurance number',
  MX_CURP: 'Mexico: population registry code',
  BR_CPF: 'Brazil: taxpayer number of persons',
  BR_CNPJ: 'Brazil: taxpayer number of companies',
  AR_CUIT: 'Argentina: tax identification code',
  CL_RUT: 'Chile: tax number',
  ZA_ID_NUMBER: 'South Africa: identity number',
  NG_NIN: 'Nigeria: national identification number',
  NG_VEHICLE_REGISTRATION: 'Nigeria: vehicle registration',
};

const nationalCodes = Object.fromEntries(
  Object.entries(NATIONAL).map(([code, title]) => [code, on(title)]),
) as unknown as Record<NationalCode, CodeInfo>;

/** Every code of the detector. Scores below 0.5 are guesses; disabled codes are common in harmless text. */
export const CODES: Readonly<Record<PiiCode, CodeInfo>> = {
  EMAIL: on('E-mail address'),
  PHONE: on('Telephone number'),
  CREDIT_CARD: on('Payment card number'),
  IBAN: on('International bank account number'),
  US_SSN: on('United States: Social Security number'),
  US_ITIN: on('United States: individual taxpayer identification number'),
  IP_ADDRESS: on('IPv4 or IPv6 address'),
  MAC_ADDRESS: on('MAC address'),
  CRYPTO_ADDRESS: on('Bitcoin, Litecoin or Ethereum address'),
  DATE_OF_BIRTH: on('Date of birth next to a word such as birthday'),
  DATE_TIME: off('Date, time, weekday or year'),
  PASSPORT: on('Passport number next to the word passport'),
  DRIVER_LICENSE: on('Driving licence number next to a word such as licence'),
  PERSON: off('Name of a person', 0.55),
  ADDRESS: on('Postal address: street or box, and the parts after it'),
  ZIP_CODE: on('Postal code next to a word such as postcode, or in an unmistakable form'),
  LOCATION: off('Country, region or city'),
  NRP: off('Nationality, religious or political group'),
  ORGANIZATION: off('Company or institution'),
  URL: off('Web address'),
  NATIONAL_ID: on('Identity number of any country next to words such as national id, cédula or CNIC'),
  TAX_NUMBER: on('Tax number next to words such as EIN, RFC or Steuernummer'),
  VAT_ID: on('VAT identification number of a European country next to a word such as VAT'),
  HEALTH_ID: on('Number of a patient or of health insurance next to words such as medical record or member id'),
  BANK_ACCOUNT: on('Bank account number or sort code next to words such as account number'),
  CARD_CODE: on('Security code of a payment card next to a word such as CVV'),
  DEVICE_ID: on('IMEI, IMSI or ICCID next to its name'),
  VEHICLE_ID: on('Vehicle identification number next to a word such as VIN'),
  ...nationalCodes,
};
