/** Version 1 of the pack for customer support. */
export const CUSTOMER_SUPPORT_1 = String.raw`apiVersion: weir/v1
kind: Policy
metadata:
  id: weir-customer-support
  title: Customer support, version 1
  owner: Weir
  description: Customers cannot talk an assistant into its prompt, into money, or into mail to others, and people hear of what is theirs to decide.
extends: [weir:baseline@1]

detectors:
  support_words:
    plugin: keywords@^1
    timeout_ms: 2000
    lists:
      DISTRESS: [end my life, hurt myself, kill myself, self-harm, suicidal, suicide]
      LEGAL: [attorney, chargeback, data protection authority, lawsuit, lawyer, legal action, ombudsman, small claims, sue you]
      PROMISE: [for free, free of charge, full refund, I guarantee, I have refunded, I promise, legally binding, we guarantee, we promise, you are entitled to]

lists:
  # Tools by which money goes back, under their usual names.
  support_money_tools:
    - apply_credit
    - create_refund
    - issue_credit
    - issue_refund
    - process_refund
    - refund
    - refund_order
    - refund_payment

rules:
  - id: support.block-injection
    title: Customers do not rewrite the assistant's instructions
    stage: pre
    severity: high
    tags: [owasp-llm01]
    when:
      all:
        - prompt_injection.score: { gte: 0.9 }
    then:
      action: block
      reason: content_policy_violation
      detail: prompt-injection
      answer: I can only help with questions about your orders and our products.
    on_unknown: match

  - id: support.block-prompt-leak
    title: Customers do not get at the assistant's instructions
    stage: pre
    severity: medium
    tags: [owasp-llm07]
    when:
      all:
        - prompt_injection.types: { any_of: [prompt_leak] }
        - prompt_injection.score: { gte: 0.7 }
    then:
      action: block
      reason: content_policy_violation
      detail: prompt-leak
      answer: I can only help with questions about your orders and our products.
    on_unknown: match

  - id: support.block-long-message
    title: Texts that nobody types into a chat are refused
    stage: pre
    severity: low
    tags: [owasp-llm10]
    when:
      all:
        - text.length: { gt: 200000 }
    then: { action: block, reason: content_policy_violation, detail: long-message }
    message: Your message is too long. Please tell us the main point in a few sentences.
    on_unknown: match

  - id: support.flag-handover
    title: Messages that a person should see are flagged
    stage: pre
    severity: high
    when:
      all:
        - support_words.types: { any_of: [DISTRESS, LEGAL] }
    then: { action: flag }
    on_unknown: no_match

  - id: support.redact-payment-in-answer
    title: Card and bank account numbers in an answer are masked
    stage: post
    severity: high
    tags: [owasp-llm02]
    when:
      all:
        - pii.types: { any_of: [CREDIT_CARD, IBAN] }
    then:
      action: redact
      redact: { entities: [pii/CREDIT_CARD, pii/IBAN], with: '[{type}_{n}]', label: contains_pii }
    on_unknown: match

  - id: support.redact-government-id-in-answer
    title: Government ids in an answer are masked
    stage: post
    severity: high
    tags: [owasp-llm02]
    when:
      all:
        - pii.types: { any_of: $lists.government_ids }
    then:
      action: redact
      redact: { entities: $lists.government_ids, with: '[{type}_{n}]', label: contains_pii }
    on_unknown: match

  - id: support.flag-promise
    title: Answers that may bind the company are flagged
    stage: post
    severity: medium
    tags: [owasp-llm09]
    when:
      all:
        - support_words.types: { any_of: [PROMISE] }
    then: { action: flag }
    on_unknown: no_match

  - id: support.block-message-to-stranger
    title: Messages and payments go only to addresses that the customer or you named
    stage: tool
    severity: critical
    tags: [owasp-llm06]
    when:
      all:
        - tool.effect: { in: [message, pay, share] }
        - tool.unstated_destinations: { gt: 0 }
    then: { action: block, reason: tool_use_blocked, detail: unstated-destination }
    on_unknown: match

  - id: support.block-third-refund
    title: One tool sends money back twice a day in a conversation, not three times
    stage: tool
    severity: high
    tags: [owasp-llm06]
    when:
      all:
        - tool.name: { tool_any_of: $lists.support_money_tools }
        - recent.same_tool_calls_24h: { gte: 2 }
    then: { action: block, reason: tool_use_blocked, detail: third-refund }
    on_unknown: match

  - id: support.flag-irreversible-call
    title: Deletions, commands and changes of access are flagged
    stage: tool
    severity: medium
    tags: [owasp-llm06]
    when:
      all:
        - tool.effect: { in: [delete, execute, secure] }
    then: { action: flag }
    on_unknown: no_match
`;
