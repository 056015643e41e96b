import type { Pack } from './pack.js';

/** `weir:gdpr@1`. */
export const GDPR: Pack = {
  name: 'weir:gdpr@1',
  title: 'Personal data (GDPR), the minimum',
  about:
    'For applications that process data of people in the European Union and the United Kingdom, but do not need their names. The pack\nmasks data that identifies a person in texts to providers, and flags the special categories of the law. It is one technical measure among others.',
  source: { title: 'Regulation (EU) 2016/679', url: 'https://eur-lex.europa.eu/eli/reg/2016/679/oj' },
  clauses: [
    {
      clause: 'Art. 4(1)',
      what: 'Personal data: names, identification numbers, location data, online identifiers',
      covered: 'partly',
      rules: ['gdpr.redact-name', 'gdpr.redact-identifier', 'pii.redact-contact', 'pii.block-government-id'],
      words:
        'Covered: recognisable names in Latin script, postal addresses, dates of birth, IP and MAC addresses, British number plates. The baseline covers contact details and refuses national numbers. Not covered: your own cookies and ids, plates of other countries, places alone, and persons who are described but not named.',
    },
    {
      clause: 'Art. 5(1)(c)',
      what: 'Data minimisation',
      covered: 'partly',
      rules: ['gdpr.redact-name', 'gdpr.redact-identifier'],
      words: 'Masked data does not reach the provider. You have to decide whether the rest is necessary.',
    },
    {
      clause: 'Art. 5(1)(d)',
      what: 'Accuracy',
      covered: 'partly',
      rules: ['gdpr.flag-personal-data-in-answer'],
      words:
        'A model may invent contact details: answers that contain contact details are flagged. Their correctness is not checked.',
    },
    {
      clause: 'Art. 5(1)(e)',
      what: 'Storage limitation',
      covered: 'no',
      rules: [],
      words: 'A pack cannot know your retention period: set it in `retention`.',
    },
    {
      clause: 'Art. 5(1)(f), 32',
      what: 'Integrity and confidentiality',
      covered: 'partly',
      rules: ['gdpr.flag-personal-data-to-stranger', 'secrets.block-live-credential'],
      words: 'Flagged: personal data that a tool sends to an address that neither user nor system prompt named.',
    },
    {
      clause: 'Art. 9, 10',
      what: 'Special categories, and criminal convictions',
      covered: 'partly',
      rules: ['gdpr.flag-special-category'],
      words:
        'Nationalities, religious and political groups from a list, and some phrases on health, sex life, unions and crime, in English and German. A list of words misses most cases and is often wrong, so calls are only flagged. Not covered: genetic and biometric data, images.',
    },
    {
      clause: 'Art. 15 to 22',
      what: 'Rights of data subjects',
      covered: 'no',
      rules: [],
      words: 'Not covered by rules; `weir erase` erases a person from the log.',
    },
    {
      clause: 'Art. 28, 44 to 49',
      what: 'Processors, and transfers to other countries',
      covered: 'no',
      rules: [],
      words: 'Needs contracts. A rule on `provider` or `model.name` can refuse providers without a contract.',
    },
  ],
  yours: [
    'A legal basis, a contract with each provider, a record of processing, and an impact assessment where it is required.',
    '`retention: { content: 30d, records: 400d }` or your own periods; without this setting events are kept for ever.',
    'If answers need the original names, replace `with` by `tokens: stable` and `restore: true` in an override.',
  ],
  tests: String.raw`apiVersion: weir/v1
kind: PolicyTest
title: Personal data (weir:gdpr@1)
environments: [production]
clock: 2026-11-21T09:00:00Z
defaults:
  app: { name: web }
  model: { name: gpt-4o }
tests:
  - id: gdpr.clean-prompt-passes
    table:
      columns: [prompt]
      rows:
        - ['Write a poem about autumn']
        - ['What does union mean in SQL?']
        - ['Sort the list by date']
    text: $prompt
    expect:
      action: allow
      rules_exclude: [gdpr.flag-special-category, gdpr.redact-identifier, gdpr.redact-name]

  - id: gdpr.names-are-masked
    text: 'Write a letter to {{gdpr_names/PERSON:Margaret Thompson}}'
    expect: { action: redact, rules_include: [gdpr.redact-name], text: 'Write a letter to [PERSON_1]' }

  - id: gdpr.identifiers-are-masked
    table:
      columns: [before, code, value]
      rows:
        - ['She lives at ', ADDRESS, '742 Evergreen Terrace']
        - ['Date of birth: ', DATE_OF_BIRTH, '04/07/1980']
        - ['from ', IP_ADDRESS, 203.0.113.77]
        - ['with ', MAC_ADDRESS, '00:1B:44:11:3A:B7']
        - ['vehicle registration ', UK_VEHICLE_REGISTRATION, 'AB12 CDE']
        - ['ZIP code: ', ZIP_CODE, '62704']
    text: '$before{{pii/$code:$value}}'
    expect: { action: redact, rules_include: [gdpr.redact-identifier], text: '$before[${'$'}{code}_1]' }

  - id: gdpr.refused-without-a-detector
    table:
      columns: [down, rule]
      rows:
        - [gdpr_names, gdpr.redact-name]
        - [pii, gdpr.redact-identifier]
    text: hello
    unavailable: [$down]
    expect:
      action: block
      unavailable: true
      rules_include: [$rule]
      rules_exclude: [gdpr.flag-special-category]

  - id: gdpr.special-categories-are-flagged
    table:
      columns: [code, words]
      rows:
        - [CRIME, convicted of]
        - [CRIME, criminal record]
        - [CRIME, sentenced to]
        - [CRIME, verurteilt wegen]
        - [CRIME, vorbestraft]
        - [HEALTH, diagnosed with]
        - [HEALTH, HIV positive]
        - [HEALTH, is pregnant]
        - [HEALTH, medical history]
        - [HEALTH, on sick leave]
        - [HEALTH, tested positive for]
        - [HEALTH, ist schwanger]
        - [HEALTH, krankgeschrieben]
        - [HEALTH, leidet an]
        - [SEX_LIFE, gender identity]
        - [SEX_LIFE, is bisexual]
        - [SEX_LIFE, is gay]
        - [SEX_LIFE, is lesbian]
        - [SEX_LIFE, is transgender]
        - [SEX_LIFE, sexual orientation]
        - [SEX_LIFE, ist homosexuell]
        - [SEX_LIFE, ist lesbisch]
        - [SEX_LIFE, ist schwul]
        - [UNION, member of the union]
        - [UNION, trade union member]
        - [UNION, union membership]
        - [UNION, Gewerkschaftsmitglied]
        - [UNION, in der Gewerkschaft]
    text: 'The form says: {{gdpr_special/$code:$words}}'
    expect: { action: allow, rules_include: [gdpr.flag-special-category] }

  - id: gdpr.groups-are-flagged
    text: 'A question about {{gdpr_names/NRP:Catholics}}'
    expect: { action: allow, rules_include: [gdpr.flag-special-category] }

  - id: gdpr.flags-rest-without-their-detectors
    text: hello
    unavailable: [gdpr_special]
    expect: { action: allow, rules_exclude: [gdpr.flag-special-category] }

  - id: gdpr.details-in-answers-are-flagged
    stage: post
    table:
      columns: [before, code, value]
      rows:
        - ['She lives at ', ADDRESS, '742 Evergreen Terrace']
        - ['Date of birth: ', DATE_OF_BIRTH, '04/07/1980']
        - ['Write to ', EMAIL, ada@acme.org]
        - ['Call ', PHONE, '+1 415 555 0100']
    text: '$before{{pii/$code:$value}}'
    expect: { action: allow, rules_include: [gdpr.flag-personal-data-in-answer] }

  - id: gdpr.other-answers-pass
    stage: post
    text: Paris
    expect: { action: allow, rules_exclude: [gdpr.flag-personal-data-in-answer] }

  - id: gdpr.without-facts-about-tools-nothing-of-this-is-flagged
    stage: tool
    unavailable: [tool-use]
    tool: { name: do_it, args: { body: 'Write to ada@acme.org' } }
    expect: { action: block, unavailable: true, rules_exclude: [gdpr.flag-personal-data-to-stranger] }

  - id: gdpr.personal-data-for-strangers-is-flagged
    stage: tool
    table:
      columns: [effect, addresses, body, include, exclude]
      rows:
        - [message, 1, 'Write to ada@acme.org', [gdpr.flag-personal-data-to-stranger], []]
        - [share, 1, 'Write to ada@acme.org', [gdpr.flag-personal-data-to-stranger], []]
        - [read, 1, 'Write to ada@acme.org', [], [gdpr.flag-personal-data-to-stranger]]
        - [message, 0, 'Write to ada@acme.org', [], [gdpr.flag-personal-data-to-stranger]]
        - [message, 1, 'Write to her', [], [gdpr.flag-personal-data-to-stranger]]
    tool: { name: do_it, args: { body: $body } }
    facts: { tool: { effect: $effect, unstated_destinations: $addresses } }
    expect: { action: allow, rules_include: $include, rules_exclude: $exclude }
`,
};
