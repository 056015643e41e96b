import type { Pack, PackClause } from './pack.js';

const masked = (letter: string, what: string, rules: readonly string[], words: string): PackClause => ({
  clause: `(${letter})`,
  what,
  covered: 'partly',
  rules,
  words,
});

/** `weir:hipaa@1`. */
export const HIPAA: Pack = {
  name: 'weir:hipaa@1',
  title: 'Identifiers of patients (HIPAA Safe Harbor)',
  about:
    'For applications that process data of patients. Of the 18 identifiers in 45 CFR 164.514(b)(2), those that can be recognised in texts\nare masked or refused before they reach a provider. The result is not a de-identified text: Safe Harbor requires the removal of all\n18, and that nobody can identify the patient from the remaining information.',
  source: { title: '45 CFR 164.514(b)(2)(i)', url: 'https://www.ecfr.gov/current/title-45/section-164.514' },
  clauses: [
    masked(
      'A',
      'Names',
      ['hipaa.redact-name'],
      'Covered: names in Latin script that are recognised by word lists, titles or phrases, about three of four in synthetic texts. Not covered: surnames alone, nicknames, other scripts. Names of relatives and staff are also masked.',
    ),
    masked(
      'B',
      'Places smaller than a state',
      ['hipaa.redact-address'],
      'Covered: street addresses followed by the city and postal code, and postal codes that are named or unmistakable. Not covered: a city or county alone (`LOCATION` is off, because it would mask every country). All five digits of a ZIP code are masked.',
    ),
    masked(
      'C',
      'Dates except the year, and ages over 89',
      ['hipaa.redact-date'],
      'Covered: dates of birth, and dates after words such as admission, discharge, surgery, appointment or death, in digits or with an English month; ages that are named or given in years. Not covered: other dates, which may identify a patient as well.',
    ),
    masked('D', 'Telephone numbers', ['pii.redact-contact'], 'Masked by the baseline.'),
    masked('E', 'Fax numbers', ['pii.redact-contact'], 'Masked by the baseline as telephone numbers.'),
    masked('F', 'E-mail addresses', ['pii.redact-contact'], 'Masked by the baseline.'),
    masked('G', 'Social security numbers', ['pii.block-government-id'], 'Refused by the baseline, not masked.'),
    masked(
      'H',
      'Medical record numbers',
      ['hipaa.redact-number'],
      'Masked after MRN, medical record, patient or chart number. Describe the format of your own numbers in a `regex` detector.',
    ),
    masked(
      'I',
      'Health plan beneficiary numbers',
      ['hipaa.redact-number', 'pii.block-government-id'],
      'Masked after a word that identifies them; the baseline refuses Medicare beneficiary identifiers.',
    ),
    masked(
      'J',
      'Account numbers',
      ['hipaa.redact-number', 'pii.redact-payment'],
      'Masked after a word that identifies them; the baseline masks card numbers and IBANs.',
    ),
    masked(
      'K',
      'Certificate and licence numbers',
      ['hipaa.redact-number', 'pii.block-government-id'],
      'Masked after a word that identifies them; the baseline refuses driving licences.',
    ),
    masked(
      'L',
      'Vehicle identifiers and plates',
      ['hipaa.redact-number'],
      'VINs and plates are masked where they are named in English.',
    ),
    masked(
      'M',
      'Device identifiers and serial numbers',
      ['hipaa.redact-number'],
      'Masked after a word that identifies them.',
    ),
    masked('N', 'Web addresses', ['hipaa.redact-online-identifier'], 'All links are masked.'),
    masked('O', 'IP addresses', ['hipaa.redact-online-identifier'], 'IPv4, IPv6 and MAC addresses are masked.'),
    {
      clause: '(P)',
      what: 'Biometric identifiers',
      covered: 'no',
      rules: [],
      words: 'There is no detector for fingerprints and voice prints.',
    },
    {
      clause: '(Q)',
      what: 'Full-face photographs',
      covered: 'no',
      rules: [],
      words:
        'Images are not read. They are forwarded, and each is reported (`media: flag`); `media: refuse` refuses all of them.',
    },
    {
      clause: '(R)',
      what: 'Any other unique number or code',
      covered: 'no',
      rules: [],
      words: 'Only you know their format: write a `regex` detector.',
    },
    {
      clause: '164.502(b)',
      what: 'Minimum necessary',
      covered: 'partly',
      rules: ['hipaa.block-identifier-in-message', 'hipaa.flag-identifier-in-answer'],
      words:
        'Calls that would send or share the numbers of a patient are refused; answers that contain identifiers are flagged, so that you can find their origin.',
    },
  ],
  yours: [
    'A business associate agreement with the provider, because identifiers that are missed reach it.',
    'Names and links are masked for all applications. If answers need the original values, replace `with` by `tokens: stable` and `restore: true` in an override.',
    'The regular expressions match English text only. For notes in other languages, write your own detectors, or use a model through the plugin `remote`.',
  ],
  tests: String.raw`apiVersion: weir/v1
kind: PolicyTest
title: Identifiers of patients (weir:hipaa@1)
environments: [production]
clock: 2026-11-21T09:00:00Z
defaults:
  app: { name: ward }
  model: { name: gpt-4o }
tests:
  - id: hipaa.clean-prompt-passes
    table:
      columns: [prompt]
      rows:
        - ['Which dose of ibuprofen is usual for adults?']
        - ['The trial ran from 2019 to 2024 with 95 centres']
        - ['The account manager has no number for the license']
        - ['Group therapy is at nine']
        - ['A member can bring a device']
    text: $prompt
    expect: { action: allow, rules_exclude: [hipaa.redact-date, hipaa.redact-name, hipaa.redact-number] }

  - id: hipaa.names-are-masked
    text: 'Summarise the notes about {{hipaa_names/PERSON:Margaret Thompson}}'
    expect:
      action: redact
      rules_include: [hipaa.redact-name]
      text: 'Summarise the notes about [PERSON_1]'

  - id: hipaa.refused-without-names
    text: hello
    unavailable: [hipaa_names]
    expect:
      action: block
      unavailable: true
      rules_include: [hipaa.redact-name, hipaa.redact-online-identifier]

  - id: hipaa.addresses-are-masked
    table:
      columns: [code, value]
      rows:
        - [ADDRESS, '742 Evergreen Terrace']
        - [ZIP_CODE, '62704']
    text: 'The patient lives there, ZIP code or street: {{pii/$code:$value}}'
    expect:
      action: redact
      rules_include: [hipaa.redact-address]
      text: 'The patient lives there, ZIP code or street: [${'$'}{code}_1]'

  - id: hipaa.dates-of-birth-are-masked
    text: 'Date of birth: {{pii/DATE_OF_BIRTH:04/07/1980}}'
    expect: { action: redact, rules_include: [hipaa.redact-date], text: 'Date of birth: [DATE_OF_BIRTH_1]' }

  - id: hipaa.dates-of-care-and-high-ages-are-masked
    table:
      columns: [before, code, value, after]
      rows:
        - ['She was admitted on ', CARE_DATE, '3/4/2026', '']
        - ['Admission: ', CARE_DATE, '2026-03-04', '']
        - ['discharged ', CARE_DATE, '03.04.26', '']
        - ['Date of service ', CARE_DATE, '3/4/2026', '']
        - ['Date of discharge ', CARE_DATE, '3/4/2026', '']
        - ['Date of admission ', CARE_DATE, '3/4/2026', '']
        - ['Date of surgery ', CARE_DATE, '3/4/2026', '']
        - ['date of death: ', CARE_DATE, 'March 4th, 2026', '']
        - ['died on ', CARE_DATE, 'Sept. 4', '']
        - ['deceased ', CARE_DATE, 'Feb 4, 2026', '']
        - ['surgery on ', CARE_DATE, 'January 4', '']
        - ['operated on ', CARE_DATE, 'Apr 4', '']
        - ['Appointment: ', CARE_DATE, 'May 22nd', '']
        - ['', AGE_OVER_89, '93', '-YEAR-OLD patient']
        - ['She is ', AGE_OVER_89, '104', ' years old']
        - ['Age: ', AGE_OVER_89, '91', '']
        - ['aged ', AGE_OVER_89, '90', '']
    text: '$before{{hipaa_numbers/$code:$value}}$after'
    expect: { action: redact, rules_include: [hipaa.redact-date], text: '$before[${'$'}{code}_1]$after' }

  - id: hipaa.lower-ages-pass
    table:
      columns: [prompt]
      rows:
        - ['She is 89 years old']
        - ['Age: 45']
        - ['95 beds']
    text: $prompt
    expect: { action: allow, rules_exclude: [hipaa.redact-date] }

  - id: hipaa.numbers-are-masked
    table:
      columns: [before, code, value]
      rows:
        - ['MRN ', MEDICAL_RECORD, '00123456']
        - ['Medical record number: ', MEDICAL_RECORD, 'A-481516']
        - ['patient id is ', MEDICAL_RECORD, '4815162']
        - ['chart no. ', MEDICAL_RECORD, '48151']
        - ['Member ID: ', HEALTH_PLAN, 'XYZ123456789']
        - ['subscriber number ', HEALTH_PLAN, '481516']
        - ['beneficiary id ', HEALTH_PLAN, '481516']
        - ['Policy number: ', HEALTH_PLAN, '481516']
        - ['group no ', HEALTH_PLAN, '481516']
        - ['insurance number ', HEALTH_PLAN, '481516']
        - ['Medicaid ID ', HEALTH_PLAN, '481516']
        - ['Medicare number was ', HEALTH_PLAN, '481516']
        - ['Account number: ', ACCOUNT, '48151623']
        - ['acct no ', ACCOUNT, '48151623']
        - ['claim id ', ACCOUNT, 'C-48151623']
        - ['encounter number ', ACCOUNT, '48151623']
        - ['invoice no ', ACCOUNT, '48151623']
        - ['certificate number ', LICENSE, '481516']
        - ['DEA number ', LICENSE, 'AB4815162']
        - ['NPI number ', LICENSE, '4815162']
        - ['VIN ', VEHICLE, '1HGCM82633A004352']
        - ['Vehicle identification number: ', VEHICLE, '1HGCM82633A004352']
        - ['license plate ', VEHICLE, 'ABC-1234']
        - ['registration plate is ', VEHICLE, 'AB12CDE']
        - ['number plate ', VEHICLE, '7ABC123']
        - ['licence plate number ', VEHICLE, 'B 4815']
        - ['Device identifier: ', DEVICE, 'PM-48151']
        - ['implant serial number ', DEVICE, '48151623']
        - ['pacemaker serial no ', DEVICE, '48151623']
        - ['serial number ', DEVICE, 'SN48151623']
    text: '$before{{hipaa_numbers/$code:$value}}, thanks'
    expect: { action: redact, rules_include: [hipaa.redact-number], text: '$before[${'$'}{code}_1], thanks' }

  - id: hipaa.licences-that-may-be-those-of-drivers-are-refused
    table:
      columns: [before]
      rows: [['license number '], ['licence no ']]
    text: '$before{{hipaa_numbers/LICENSE:RN481516}}'
    expect: { action: block, rules_include: [hipaa.redact-number, pii.block-government-id] }

  - id: hipaa.numbers-of-providers-are-masked
    table:
      columns: [before, code, value]
      rows:
        - ['National provider identifier ', US_NPI, '1245319599']
        - ['ABA routing number ', US_ABA_ROUTING, '021000021']
    text: '$before{{pii/$code:$value}}'
    expect: { action: redact, rules_include: [hipaa.redact-number], text: '$before[${'$'}{code}_1]' }

  - id: hipaa.refused-without-the-expressions
    text: hello
    unavailable: [hipaa_numbers]
    expect: { action: block, unavailable: true, rules_include: [hipaa.redact-date, hipaa.redact-number] }

  - id: hipaa.refused-without-personal-data
    text: hello
    unavailable: [pii]
    expect:
      action: block
      unavailable: true
      rules_include:
        - hipaa.redact-address
        - hipaa.redact-date
        - hipaa.redact-number
        - hipaa.redact-online-identifier

  - id: hipaa.online-identifiers-are-masked
    table:
      columns: [mark, masked]
      rows:
        - ['{{hipaa_names/URL:https://patients.example/margaret}}', '[URL_1]']
        - ['{{pii/IP_ADDRESS:203.0.113.77}}', '[IP_ADDRESS_1]']
        - ['{{pii/MAC_ADDRESS:00:1B:44:11:3A:B7}}', '[MAC_ADDRESS_1]']
    text: 'She writes from $mark'
    expect: { action: redact, rules_include: [hipaa.redact-online-identifier], text: 'She writes from $masked' }

  - id: hipaa.pictures-are-reported
    text: What is on this picture?
    contents: { media: [{ type: image/png }] }
    expect: { action: allow, rules_include: [media] }

  - id: hipaa.identifiers-in-an-answer-are-flagged
    stage: post
    table:
      columns: [before, detector, code, value]
      rows:
        - ['She lives at ', pii, ADDRESS, '742 Evergreen Terrace']
        - ['Date of birth: ', pii, DATE_OF_BIRTH, '04/07/1980']
        - ['Write to ', pii, EMAIL, ada@acme.org]
        - ['Call ', pii, PHONE, '+1 415 555 0100']
        - ['Member ID: ', hipaa_numbers, HEALTH_PLAN, XYZ123456789]
        - ['MRN ', hipaa_numbers, MEDICAL_RECORD, '00123456']
    text: '$before{{$detector/$code:$value}}'
    expect: { action: allow, rules_include: [hipaa.flag-identifier-in-answer] }

  - id: hipaa.other-answers-pass
    stage: post
    table:
      columns: [down]
      rows: [[hipaa_names], [hipaa_numbers]]
    unavailable: [$down]
    text: Twice a day
    expect: { action: allow, rules_exclude: [hipaa.flag-identifier-in-answer] }

  - id: hipaa.numbers-of-patients-are-not-sent-on
    stage: tool
    table:
      columns: [tool, before, detector, code, value]
      rows:
        - [send_email, 'Date of birth: ', pii, DATE_OF_BIRTH, '04/07/1980']
        - [send_email, 'Medicare beneficiary identifier: ', pii, US_MBI, 1EG4-TE5-MK73]
        - [share_file, 'Her social security number is ', pii, US_SSN, 536-22-8726]
        - [send_email, 'Member ID: ', hipaa_numbers, HEALTH_PLAN, XYZ123456789]
        - [mcp__chat__post_message, 'MRN ', hipaa_numbers, MEDICAL_RECORD, '00123456']
    tool: { name: $tool, args: { body: '$before{{$detector/$code:$value}}' } }
    expect: { action: block, reason: tool_use_blocked, rules_include: [hipaa.block-identifier-in-message] }

  - id: hipaa.other-tools-may-have-them
    stage: tool
    tool: { name: lookup_patient, args: { query: 'MRN {{hipaa_numbers/MEDICAL_RECORD:00123456}}' } }
    expect: { action: allow, rules_exclude: [hipaa.block-identifier-in-message] }

  - id: hipaa.other-messages-are-sent
    stage: tool
    messages: [{ role: user, content: Write to the customer }]
    tool: { name: send_email, args: { body: 'Your appointment is confirmed' } }
    expect: { action: allow, rules_exclude: [hipaa.block-identifier-in-message] }

  - id: hipaa.messages-wait-for-the-detectors
    stage: tool
    table:
      columns: [down]
      rows: [[pii], [hipaa_numbers]]
    unavailable: [$down]
    tool: { name: send_email, args: { body: 'Your appointment is confirmed' } }
    expect: { action: block, unavailable: true, rules_include: [hipaa.block-identifier-in-message] }
`,
};
