/** Version 1 of the pack for personal data. */
export const GDPR_1 = String.raw`apiVersion: weir/v1
kind: Policy
metadata:
  id: weir-gdpr
  title: Personal data (GDPR), the minimum, version 1
  owner: Weir
  description: What names or locates a person is masked, and what tells more than that is flagged.
extends: [weir:baseline@1] # masks contact and payment details, refuses government ids

detectors:
  # Off in the baseline, since they are everywhere else no secret.
  gdpr_names: { plugin: pii@^1, codes: [NRP, PERSON], timeout_ms: 2000 }
  # Words that make a text one about health, sex life, union or crime when somebody is named. English and German.
  gdpr_special:
    plugin: keywords@^1
    timeout_ms: 2000
    lists:
      CRIME: [convicted of, criminal record, sentenced to, verurteilt wegen, vorbestraft]
      HEALTH: [diagnosed with, HIV positive, is pregnant, medical history, on sick leave, tested positive for, ist schwanger, krankgeschrieben, leidet an]
      SEX_LIFE: [gender identity, is bisexual, is gay, is lesbian, is transgender, sexual orientation, ist homosexuell, ist lesbisch, ist schwul]
      UNION: [member of the union, trade union member, union membership, Gewerkschaftsmitglied, in der Gewerkschaft]

rules:
  - id: gdpr.redact-name
    title: Names of people are masked before they reach a provider
    stage: pre
    severity: medium
    tags: [gdpr-art-4-1, gdpr-art-5-1-c]
    when:
      all:
        - gdpr_names.types: { any_of: [PERSON] }
    then:
      action: redact
      redact: { entities: [gdpr_names/PERSON], with: '[{type}_{n}]', label: contains_pii }
    on_unknown: match

  - id: gdpr.redact-identifier
    title: Addresses, dates of birth, plates and addresses of machines are masked before they reach a provider
    stage: pre
    severity: medium
    tags: [gdpr-art-4-1, gdpr-art-5-1-c]
    when:
      all:
        - pii.types: { any_of: [ADDRESS, DATE_OF_BIRTH, IP_ADDRESS, MAC_ADDRESS, UK_VEHICLE_REGISTRATION, ZIP_CODE] }
    then:
      action: redact
      redact:
        entities:
          - pii/ADDRESS
          - pii/DATE_OF_BIRTH
          - pii/IP_ADDRESS
          - pii/MAC_ADDRESS
          - pii/UK_VEHICLE_REGISTRATION
          - pii/ZIP_CODE
        with: '[{type}_{n}]'
        label: contains_pii
    on_unknown: match

  - id: gdpr.flag-special-category
    title: What may tell of health, origin, faith, opinion, union, sex life or crime is flagged
    stage: pre
    severity: high
    tags: [gdpr-art-9, gdpr-art-10]
    when:
      any:
        - gdpr_names.types: { any_of: [NRP] }
        - gdpr_special.types: { any_of: [CRIME, HEALTH, SEX_LIFE, UNION] }
    then: { action: flag }
    on_unknown: no_match

  - id: gdpr.flag-personal-data-in-answer
    title: Contact details, addresses and dates of birth in an answer are flagged
    stage: post
    severity: low
    tags: [gdpr-art-5-1-d]
    when:
      all:
        - pii.types: { any_of: [ADDRESS, DATE_OF_BIRTH, EMAIL, PHONE] }
    then: { action: flag }
    on_unknown: no_match

  - id: gdpr.flag-personal-data-to-stranger
    title: Personal data that a tool sends to an address which nobody named is flagged
    stage: tool
    severity: high
    tags: [gdpr-art-5-1-f]
    when:
      all:
        - tool.effect: { in: [message, share] }
        - tool.unstated_destinations: { gt: 0 }
        - pii.count: { gt: 0 }
    then: { action: flag }
    on_unknown: no_match
`;
