/** The rules of version 1 of the baseline. */
export const BASELINE_1_RULES = `
rules:
  - id: pii.redact-contact
    title: Contact details are masked before they reach a provider
    stage: pre
    severity: medium
    when:
      all:
        - pii.types: { any_of: [EMAIL, PHONE] }
    then:
      action: redact
      redact: { entities: [EMAIL, PHONE], with: '[{type}_{n}]', label: contains_pii }
    on_unknown: match # detector down: refuse rather than send unmasked

  - id: pii.redact-payment
    title: Card and bank account numbers are masked before they reach a provider
    stage: pre
    severity: high
    when:
      all:
        - pii.types: { any_of: [CREDIT_CARD, IBAN] }
    then:
      action: redact
      redact: { entities: [CREDIT_CARD, IBAN], with: '[{type}_{n}]', label: contains_pii }
    on_unknown: match

  - id: pii.block-government-id
    title: Government ids never reach a provider
    stage: pre
    severity: high
    when:
      all:
        - pii.types: { any_of: $lists.government_ids }
    then: { action: block, reason: content_policy_violation, detail: government-id }
    on_unknown: match

  - id: secrets.block-live-credential
    title: Live credentials never reach a provider
    stage: pre
    severity: critical
    when:
      all:
        - secrets.types: { any_of: $lists.live_credentials }
    then: { action: block, reason: content_policy_violation, detail: live-credential }
    on_unknown: match

  - id: secrets.flag-possible-credential
    title: What only looks like a credential is flagged
    stage: pre
    severity: low
    when:
      all:
        - secrets.types:
            any_of:
              - basic_auth
              - bearer_token
              - command_password
              - generic_secret
              - jwt
              - password_hash
              - prefixed_token
              - session_cookie
              - signed_url
              - url_credentials
    then: { action: flag }
    on_unknown: no_match

  - id: secrets.redact-leaked-credential
    title: Credentials in an answer are masked
    stage: post
    severity: critical
    when:
      all:
        - secrets.types: { any_of: $lists.live_credentials }
    then:
      action: redact
      redact: { entities: $lists.live_credentials, with: '[{type}_{n}]' }
    on_unknown: match

  - id: tool.block-dangerous
    title: Dangerous tools do not run
    stage: tool
    severity: critical
    when:
      all:
        - tool.name: { tool_any_of: $lists.dangerous_tools }
    then: { action: block, reason: tool_use_blocked, detail: dangerous-tool }
    on_unknown: match

  - id: injection.flag-likely
    title: Likely prompt injection is flagged
    stage: pre
    severity: medium
    when:
      all:
        - prompt_injection.score: { gte: 0.7 }
    then: { action: flag }
    on_unknown: no_match

  # A rule of thumb about who asked for what: it is right more often than not, and still no ground to refuse a call.
  # An agent that sends nothing on its own can have action: block here, with gte: 0.9.
  - id: tool.flag-hijacked
    title: Tool calls that look like somebody else's wish are flagged
    stage: tool
    severity: high
    when:
      all:
        - tool.hijack_score: { gte: 0.6 }
    then: { action: flag }
    on_unknown: no_match # without the conversation nothing can be said
`;
