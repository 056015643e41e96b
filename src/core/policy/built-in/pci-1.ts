/** Version 1 of the pack for card data. */
export const PCI_1 = String.raw`apiVersion: weir/v1
kind: Policy
metadata:
  id: weir-pci
  title: Card data (PCI DSS v4.0.1), version 1
  owner: Weir
  description: Card numbers are masked, what proves a card is refused, and neither is sent on by tools.
extends: [weir:baseline@1] # masks card numbers in requests

detectors:
  pci_data:
    plugin: regex@^1
    timeout_ms: 2000
    # What a card is authorised with counts only where it is named: three digits alone are anything.
    patterns:
      TRACK_DATA:
        - '%[Bb]\d{12,19}\^[^^\n]{2,26}\^\d{7,60}'
        - ';\d{12,19}=\d{7,60}'
      CARD_CODE:
        - pattern: '\b(?:cvv2?|cvc2?|cav2|card (?:verification|security) (?:code|value|number)|security code)\b\W{0,3}(?:is|was)?\W{0,4}(\d{3,4})\b'
          case_sensitive: false
          group: 1
      CARD_PIN:
        - pattern: '\bpin(?: code| number)?\b\W{0,3}(?:is|was|=|:)\W{0,3}(\d{4,5})\b'
          case_sensitive: false
          group: 1
        # Six digits are an Indian postal code too, the PIN code, unless a card is named or a sentence is made of it.
        - pattern: '\b(?:card|atm|bank|banking|debit|credit|visa|mastercard)(?:''s|s)? pin(?: code| number)?\b\W{0,3}(?:is|was|=|:)\W{0,3}(\d{6})\b'
          case_sensitive: false
          group: 1
        - pattern: '\bpin(?: number)?\b\W{0,3}(?:is|was)\W{0,3}(\d{6})\b'
          case_sensitive: false
          group: 1
        - pattern: '\bpin block\b\W{0,3}(?:is|was|=|:)?\W{0,3}([0-9a-f]{16})\b'
          case_sensitive: false
          group: 1

rules:
  - id: pci.block-authentication-data
    title: Card codes, PINs and track data never reach a provider
    stage: pre
    severity: critical
    tags: [pci-dss-3.3.1]
    when:
      all:
        - pci_data.types: { any_of: [CARD_CODE, CARD_PIN, TRACK_DATA] }
    then: { action: block, reason: content_policy_violation, detail: card-authentication-data }
    message: Take the security code, the PIN and what is on the card's stripe out of your message, and send it again.
    on_unknown: match

  - id: pci.redact-card-number-in-answer
    title: Card numbers in an answer are masked
    stage: post
    severity: high
    tags: [pci-dss-3.4.1]
    when:
      all:
        - pii.types: { any_of: [CREDIT_CARD] }
    then:
      action: redact
      redact: { entities: [pii/CREDIT_CARD], with: '[{type}_{n}]', label: contains_card_number }
    on_unknown: match

  # Expressions need the whole answer: a rule that acted here would hold back every stream to its end.
  - id: pci.flag-authentication-data-in-answer
    title: Card codes, PINs and track data in an answer are flagged
    stage: post
    severity: high
    tags: [pci-dss-3.3.1]
    when:
      all:
        - pci_data.types: { any_of: [CARD_CODE, CARD_PIN, TRACK_DATA] }
    then: { action: flag }
    on_unknown: no_match

  - id: pci.block-card-number-in-message
    title: Card numbers are not sent by mail, chat or shared file
    stage: tool
    severity: critical
    tags: [pci-dss-4.2.2]
    when:
      all:
        - pii.types: { any_of: [CREDIT_CARD] }
        - tool.effect: { in: [message, share] }
    then: { action: block, reason: tool_use_blocked, detail: card-number-in-message }
    on_unknown: match

  - id: pci.flag-card-number-in-tool-call
    title: Tools that get a card number are noted
    stage: tool
    severity: medium
    tags: [pci-dss-12.5.2]
    when:
      all:
        - pii.types: { any_of: [CREDIT_CARD] }
    then: { action: flag }
    on_unknown: no_match

  - id: pci.block-authentication-data-in-tool-call
    title: No tool gets a card code, a PIN or track data
    stage: tool
    severity: critical
    tags: [pci-dss-3.3.1]
    when:
      any:
        - pci_data.types: { any_of: [CARD_CODE, CARD_PIN, TRACK_DATA] }
        - tool.args.cvv: { exists: true }
        - tool.args.cvc: { exists: true }
        - tool.args.card.cvv: { exists: true }
        - tool.args.card.cvc: { exists: true }
    then: { action: block, reason: tool_use_blocked, detail: card-authentication-data }
    on_unknown: match
`;
