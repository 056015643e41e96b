/** Version 1 of the pack for health information. */
export const HIPAA_1 = String.raw`apiVersion: weir/v1
kind: Policy
metadata:
  id: weir-hipaa
  title: Identifiers of patients (HIPAA Safe Harbor), version 1
  owner: Weir
  description: Of the 18 identifiers of 45 CFR 164.514(b)(2), those that a text shows are masked or refused.

# Pictures are not read: a face, a scan or a screenshot passes, and is reported.
media: flag
extends: [weir:baseline@1] # masks addresses of mail and telephone numbers, refuses social security numbers

detectors:
  # Off in the baseline, since names and links are everywhere else no secret.
  hipaa_names: { plugin: pii@^1, codes: [PERSON, URL], timeout_ms: 2000 }
  hipaa_numbers:
    plugin: regex@^1
    timeout_ms: 2000
    # A number of a hospital has no form of its own: it counts where it is named, and has a digit.
    patterns:
      ACCOUNT:
        - pattern: '\b(?:account|acct|claim|encounter|invoice) (?:id|number|no)\b\W{0,3}(?:is|was)?\W{0,3}([A-Z]{0,4}-?\d[A-Z0-9-]{3,18})\b'
          case_sensitive: false
          group: 1
      AGE_OVER_89:
        - { pattern: '\b(9\d|1[01]\d)[ -]years?[ -]old\b', case_sensitive: false, group: 1 }
        - { pattern: '\baged?\b\W{0,3}(?:of|is)?\W{0,2}(9\d|1[01]\d)\b', case_sensitive: false, group: 1 }
      CARE_DATE:
        - pattern: '\b(?:admi(?:tted|ssion)|discharged?|died|deceased|date of (?:service|admission|discharge|death|surgery)|surgery|operated|appointment)\b[^\n\d]{0,20}?(\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})|\d{4}-\d{2}-\d{2})\b'
          case_sensitive: false
          group: 1
        - pattern: '\b(?:admi(?:tted|ssion)|discharged?|died|deceased|date of (?:service|admission|discharge|death|surgery)|surgery|operated|appointment)\b[^\n\d]{0,20}?\b((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?)\b'
          case_sensitive: false
          group: 1
      DEVICE:
        - pattern: '\b(?:device|implant|pacemaker|serial)(?: serial)? (?:id|identifier|number|no)\b\W{0,3}(?:is|was)?\W{0,3}([A-Z]{0,5}-?\d[A-Z0-9-]{3,18})\b'
          case_sensitive: false
          group: 1
      HEALTH_PLAN:
        - pattern: '\b(?:member|subscriber|beneficiary|policy|group|insurance|medicaid|medicare) (?:id|number|no)\b\W{0,3}(?:is|was)?\W{0,3}([A-Z]{0,4}-?\d[A-Z0-9-]{3,18})\b'
          case_sensitive: false
          group: 1
      LICENSE:
        - pattern: '\b(?:license|licence|certificate|dea|npi) (?:id|number|no)\b\W{0,3}(?:is|was)?\W{0,3}([A-Z]{0,4}-?\d[A-Z0-9-]{3,18})\b'
          case_sensitive: false
          group: 1
      MEDICAL_RECORD:
        - pattern: '\b(?:mrn|(?:medical record|patient|chart) (?:id|number|no))\b\W{0,3}(?:is|was)?\W{0,3}([A-Z]{0,4}-?\d[A-Z0-9-]{3,18})\b'
          case_sensitive: false
          group: 1
      VEHICLE:
        - pattern: '\b(?:vin|vehicle identification number)\b\W{0,3}(?:is|was)?\W{0,3}([A-HJ-NPR-Z0-9]{17})\b'
          case_sensitive: false
          group: 1
        - pattern: '\b(?:license|licence|registration|number) plate(?: number)?\b\W{0,3}(?:is|was)?\W{0,3}([A-Z]{1,3}[ -]?\d[A-Z0-9-]{2,6}|\d[A-Z0-9-]{3,7})\b'
          case_sensitive: false
          group: 1

rules:
  - id: hipaa.redact-name
    title: Names of people are masked before they reach a provider
    stage: pre
    severity: medium
    tags: [hipaa-164.514-b-2-i-A]
    when:
      all:
        - hipaa_names.types: { any_of: [PERSON] }
    then:
      action: redact
      redact: { entities: [hipaa_names/PERSON], with: '[{type}_{n}]', label: contains_phi }
    on_unknown: match

  - id: hipaa.redact-address
    title: Postal addresses and postal codes are masked before they reach a provider
    stage: pre
    severity: medium
    tags: [hipaa-164.514-b-2-i-B]
    when:
      all:
        - pii.types: { any_of: [ADDRESS, ZIP_CODE] }
    then:
      action: redact
      redact: { entities: [pii/ADDRESS, pii/ZIP_CODE], with: '[{type}_{n}]', label: contains_phi }
    on_unknown: match

  - id: hipaa.redact-date
    title: Dates of birth, care and death, and ages over 89, are masked before they reach a provider
    stage: pre
    severity: medium
    tags: [hipaa-164.514-b-2-i-C]
    when:
      any:
        - pii.types: { any_of: [DATE_OF_BIRTH] }
        - hipaa_numbers.types: { any_of: [AGE_OVER_89, CARE_DATE] }
    then:
      action: redact
      redact:
        entities: [hipaa_numbers/AGE_OVER_89, hipaa_numbers/CARE_DATE, pii/DATE_OF_BIRTH]
        with: '[{type}_{n}]'
        label: contains_phi
    on_unknown: match

  - id: hipaa.redact-number
    title: Numbers of records, plans, accounts, licences, vehicles and devices are masked before they reach a provider
    stage: pre
    severity: high
    tags: [hipaa-164.514-b-2-i-H-to-M]
    when:
      any:
        - hipaa_numbers.types: { any_of: [ACCOUNT, DEVICE, HEALTH_PLAN, LICENSE, MEDICAL_RECORD, VEHICLE] }
        - pii.types: { any_of: [US_ABA_ROUTING, US_NPI] }
    then:
      action: redact
      redact:
        entities:
          - hipaa_numbers/ACCOUNT
          - hipaa_numbers/DEVICE
          - hipaa_numbers/HEALTH_PLAN
          - hipaa_numbers/LICENSE
          - hipaa_numbers/MEDICAL_RECORD
          - hipaa_numbers/VEHICLE
          - pii/US_ABA_ROUTING
          - pii/US_NPI
        with: '[{type}_{n}]'
        label: contains_phi
    on_unknown: match

  - id: hipaa.redact-online-identifier
    title: Links and addresses of machines are masked before they reach a provider
    stage: pre
    severity: medium
    tags: [hipaa-164.514-b-2-i-N, hipaa-164.514-b-2-i-O]
    when:
      any:
        - hipaa_names.types: { any_of: [URL] }
        - pii.types: { any_of: [IP_ADDRESS, MAC_ADDRESS] }
    then:
      action: redact
      redact:
        entities: [hipaa_names/URL, pii/IP_ADDRESS, pii/MAC_ADDRESS]
        with: '[{type}_{n}]'
        label: contains_phi
    on_unknown: match

  - id: hipaa.flag-identifier-in-answer
    title: Identifiers in an answer are flagged
    stage: post
    severity: medium
    tags: [hipaa-164.502-b]
    when:
      any:
        - pii.types: { any_of: [ADDRESS, DATE_OF_BIRTH, EMAIL, PHONE, US_MBI, US_SSN] }
        - hipaa_numbers.types: { any_of: [HEALTH_PLAN, MEDICAL_RECORD] }
    then: { action: flag }
    on_unknown: no_match

  - id: hipaa.block-identifier-in-message
    title: Numbers of patients are not sent by mail, chat or shared file
    stage: tool
    severity: high
    tags: [hipaa-164.502-b]
    when:
      all:
        - tool.effect: { in: [message, share] }
        - any:
            - pii.types: { any_of: [DATE_OF_BIRTH, US_MBI, US_SSN] }
            - hipaa_numbers.types: { any_of: [HEALTH_PLAN, MEDICAL_RECORD] }
    then: { action: block, reason: tool_use_blocked, detail: patient-identifier-in-message }
    on_unknown: match
`;
