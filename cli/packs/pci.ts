import type { Pack } from './pack.js';

/** `weir:pci@1`. */
export const PCI: Pack = {
  name: 'weir:pci@1',
  title: 'Card data (PCI DSS)',
  about:
    'For applications in which somebody may type, paste or look up a payment card. The pack masks card numbers, refuses card\nverification data in requests to providers, and prevents agents from sending card numbers or verification data to others.',
  source: { title: 'PCI DSS v4.0.1', url: 'https://www.pcisecuritystandards.org/document_library/' },
  clauses: [
    {
      clause: '3.3.1.1',
      what: 'Track data is not stored after authorisation',
      covered: 'partly',
      rules: [
        'pci.block-authentication-data',
        'pci.block-authentication-data-in-tool-call',
        'pci.flag-authentication-data-in-answer',
      ],
      words:
        'Covered: tracks 1 and 2 in the format of ISO/IEC 7813, in requests and tool calls. Not covered: chip data (EMV tags), encrypted tracks.',
    },
    {
      clause: '3.3.1.2',
      what: 'The card verification code is not stored after authorisation',
      covered: 'partly',
      rules: ['pci.block-authentication-data', 'pci.block-authentication-data-in-tool-call'],
      words:
        'Covered: three or four digits after CVV, CVC, CAV2, card verification or security code, in English, and the arguments `cvv` and `cvc` of tools. Not covered: a code without such a word, or with the word in another message.',
    },
    {
      clause: '3.3.1.3',
      what: 'PIN and PIN block are not stored after authorisation',
      covered: 'partly',
      rules: ['pci.block-authentication-data', 'pci.block-authentication-data-in-tool-call'],
      words:
        'Covered after an English word that identifies them. A PIN of six digits needs a word such as card or bank before it, or the words “PIN is”, because “PIN code: 560001” is a postal code in India.',
    },
    {
      clause: '3.4.1',
      what: 'The card number is masked when it is displayed',
      covered: 'yes',
      rules: ['pii.redact-payment', 'pci.redact-card-number-in-answer'],
      words:
        'Numbers of the card brands with a valid check digit are masked as a whole, in requests and answers. Images of cards are not read.',
    },
    {
      clause: '3.5.1',
      what: 'The card number is unreadable where it is stored',
      covered: 'partly',
      rules: ['pii.redact-payment', 'pci.redact-card-number-in-answer'],
      words:
        'With `content: redacted`, the log stores masked texts; with `none`, it stores no texts. With `content: full`, it would store card numbers: do not use `full`.',
    },
    {
      clause: '4.2.2',
      what: 'The card number is not sent by e-mail, chat or similar channels',
      covered: 'partly',
      rules: ['pci.block-card-number-in-message'],
      words:
        'Tools are recognised by names that mean sending or sharing. List other tools under `sinks` of the plugin `tool-use`.',
    },
    {
      clause: '12.5.2',
      what: 'The flow of card data is known',
      covered: 'partly',
      rules: ['pci.flag-card-number-in-tool-call'],
      words: 'The log shows every tool that receives a card number.',
    },
    {
      clause: '1, 2, 5 to 11',
      what: 'Networks, systems, keys, access, logs, tests',
      covered: 'no',
      rules: [],
      words: 'Not visible in calls.',
    },
  ],
  yours: [
    'Keep `content: redacted`, and set the retention period in `retention`.',
    'Weir processes card numbers in order to mask them, so it is in scope of your assessment.',
    'Answers that contain a card code are flagged, not masked: the expressions need the whole answer, so a stream would be held until its end. Override `pci.flag-authentication-data-in-answer` if that delay is acceptable.',
  ],
  tests: String.raw`apiVersion: weir/v1
kind: PolicyTest
title: Card data (weir:pci@1)
environments: [production]
clock: 2026-11-21T09:00:00Z
defaults:
  app: { name: shop }
  model: { name: gpt-4o }
tests:
  - id: pci.card-number-is-masked
    text: 'Charge {{pii/CREDIT_CARD:4111 1111 1111 1111}} today'
    expect: { action: redact, rules_include: [pii.redact-payment], text: 'Charge [CREDIT_CARD_1] today' }

  - id: pci.authentication-data-is-refused
    table:
      columns: [prompt]
      rows:
        - ['The CVV is {{pci_data/CARD_CODE:123}}']
        - ['cvc2: {{pci_data/CARD_CODE:1234}}']
        - ['CAV2 {{pci_data/CARD_CODE:123}}']
        - ['{"cvv": "{{pci_data/CARD_CODE:123}}"}']
        - ['the security code was {{pci_data/CARD_CODE:123}}']
        - ['card verification value {{pci_data/CARD_CODE:123}}']
        - ['Card security number: {{pci_data/CARD_CODE:123}}']
        - ['my pin is {{pci_data/CARD_PIN:4711}}']
        - ['PIN code: {{pci_data/CARD_PIN:4711}}']
        - ['my card PIN code: {{pci_data/CARD_PIN:471100}}']
        - ['the PIN is {{pci_data/CARD_PIN:471100}}']
        - ['PIN number was {{pci_data/CARD_PIN:4711}}']
        - ['PIN block: {{pci_data/CARD_PIN:0412AC89ABCDEF67}}']
        - ['{{pci_data/TRACK_DATA:%B4111111111111111^DOE/JANE^28122010000000000}}']
        - ['{{pci_data/TRACK_DATA:;4111111111111111=28122010000000000}}']
    text: $prompt
    expect:
      action: block
      reason: content_policy_violation
      rules_include: [pci.block-authentication-data]

  - id: pci.other-numbers-pass
    table:
      columns: [prompt]
      rows:
        - ['Connect pin 13 to ground']
        - ['The pin is 13 mm long']
        - ['Error 123 was found, code review follows']
        - ['Which security code standards are there?']
        - ['CVVs have 3 digits']
        - ['Price; 12345=6']
    text: $prompt
    expect: { action: allow, rules_exclude: [pci.block-authentication-data] }

  - id: pci.refused-without-the-detector
    text: hello
    unavailable: [pci_data]
    expect: { action: block, unavailable: true, rules_include: [pci.block-authentication-data] }

  - id: pci.card-number-in-an-answer-is-masked
    stage: post
    text: 'You paid with {{pii/CREDIT_CARD:4111 1111 1111 1111}}'
    expect:
      action: redact
      rules_include: [pci.redact-card-number-in-answer]
      rules_exclude: [pci.flag-authentication-data-in-answer]
      text: 'You paid with [CREDIT_CARD_1]'

  - id: pci.answers-wait-for-the-detector
    stage: post
    text: You paid by card
    unavailable: [pii]
    expect: { action: block, unavailable: true, rules_include: [pci.redact-card-number-in-answer] }

  - id: pci.card-code-in-an-answer-is-flagged
    stage: post
    table:
      columns: [said]
      rows:
        - ['Your CVV is {{pci_data/CARD_CODE:123}}']
        - ['The PIN is {{pci_data/CARD_PIN:4711}}']
        - ['{{pci_data/TRACK_DATA:;4999999999999999=28122010000000000}}']
    text: $said
    expect: { action: allow, rules_include: [pci.flag-authentication-data-in-answer] }

  - id: pci.answers-pass-without-the-expressions
    stage: post
    text: You paid by card
    unavailable: [pci_data]
    expect: { action: allow, rules_exclude: [pci.flag-authentication-data-in-answer] }

  - id: pci.card-number-is-not-sent-on
    stage: tool
    table:
      columns: [tool]
      rows:
        - [send_email]
        - [mcp__slack__post_message]
        - [share_file]
    tool: { name: $tool, args: { body: 'Card {{pii/CREDIT_CARD:4111 1111 1111 1111}}' } }
    expect:
      action: block
      reason: tool_use_blocked
      rules_include: [pci.block-card-number-in-message, pci.flag-card-number-in-tool-call]

  - id: pci.other-messages-are-sent
    stage: tool
    messages: [{ role: user, content: Write to the customer }]
    tool: { name: send_email, args: { body: 'Your order is on its way' } }
    expect: { action: allow, rules_exclude: [pci.block-card-number-in-message, pci.flag-card-number-in-tool-call] }

  - id: pci.messages-wait-for-the-detector
    stage: tool
    unavailable: [pii]
    tool: { name: send_email, args: { body: 'Your order is on its way' } }
    expect:
      action: block
      unavailable: true
      rules_include: [pci.block-card-number-in-message]
      rules_exclude: [pci.flag-card-number-in-tool-call]

  - id: pci.tools-that-get-a-card-number-are-noted
    stage: tool
    tool: { name: lookup_order, args: { query: '{{pii/CREDIT_CARD:4111 1111 1111 1111}}' } }
    expect:
      action: allow
      rules_include: [pci.flag-card-number-in-tool-call]
      rules_exclude: [pci.block-card-number-in-message]

  - id: pci.no-tool-gets-a-card-code
    stage: tool
    table:
      columns: [note]
      rows:
        - ['CVV {{pci_data/CARD_CODE:123}}']
        - ['PIN: {{pci_data/CARD_PIN:4711}}']
        - ['{{pci_data/TRACK_DATA:;4111111111111111=28122010000000000}}']
    tool: { name: lookup_order, args: { note: $note } }
    expect: { action: block, reason: tool_use_blocked, rules_include: [pci.block-authentication-data-in-tool-call] }

  - id: pci.postal-codes-of-india-are-no-pins
    stage: tool
    table:
      columns: [note]
      rows:
        - ['Bengaluru, PIN code: 560001']
        - ['PIN: 110001, New Delhi']
        - ['The PIN code is 560001']
    tool: { name: lookup_order, args: { note: $note } }
    expect: { action: allow, rules_exclude: [pci.block-authentication-data-in-tool-call] }

  - id: pci.no-tool-takes-a-card-code
    stage: tool
    table:
      columns: [tool, outer, inner]
      rows:
        - [lookup_order, cvv, none]
        - [lookup_order, cvc, none]
        - [lookup_order, none, cvv]
        - [lookup_order, none, cvc]
    tool: { name: $tool, args: { $outer: '1', card: { $inner: '1' } } }
    expect: { action: block, reason: tool_use_blocked, rules_include: [pci.block-authentication-data-in-tool-call] }

  - id: pci.tool-calls-wait-for-the-expressions
    stage: tool
    unavailable: [pci_data]
    tool: { name: lookup_order, args: { order: A-1 } }
    expect: { action: block, unavailable: true, rules_include: [pci.block-authentication-data-in-tool-call] }
`,
};
