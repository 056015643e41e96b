import { GOVERNMENT_ID_ROWS } from './government-ids.js';

/** Tests of rules that mask payment details and government ids in answers. @param prefix of the ids of rules and tests */
export function answersAreMasked(prefix: string, harmless: string): string {
  return `  - id: ${prefix}.payment-details-in-answers-are-masked
    stage: post
    table:
      columns: [code, value]
      rows:
        - [CREDIT_CARD, 4111 1111 1111 1111]
        - [IBAN, DE89 3704 0044 0532 0130 00]
    text: 'Paid with {{pii/$code:$value}}'
    expect: { action: redact, rules_include: [${prefix}.redact-payment-in-answer], text: 'Paid with [\${code}_1]' }

  - id: ${prefix}.every-government-id-in-an-answer-is-masked
    detectors: stub
    stage: post
    table:
      columns: [code]
      rows:
${GOVERNMENT_ID_ROWS}
    text: 'Her number is {{pii/$code:a number}}'
    expect:
      action: redact
      rules_include: [${prefix}.redact-government-id-in-answer]
      text: 'Her number is [\${code}_1]'

  - id: ${prefix}.answers-wait-for-the-detector
    stage: post
    text: ${harmless}
    unavailable: [pii]
    expect:
      action: block
      unavailable: true
      rules_include: [${prefix}.redact-government-id-in-answer, ${prefix}.redact-payment-in-answer]`;
}
