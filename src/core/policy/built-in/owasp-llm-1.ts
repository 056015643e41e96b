/** Version 1 of the pack for the OWASP Top 10 for LLM applications. */
export const OWASP_LLM_1 = String.raw`apiVersion: weir/v1
kind: Policy
metadata:
  id: weir-owasp-llm
  title: OWASP Top 10 for LLM Applications 2025, version 1
  owner: Weir
  description: What of the ten risks shows in a call is refused, masked or flagged.
extends: [weir:baseline@1]

detectors:
  owasp_output:
    plugin: regex@^1
    timeout_ms: 2000
    patterns:
      ACTIVE_CONTENT:
        - { pattern: '<(?:script|iframe|object|embed)\b', case_sensitive: false }
        - { pattern: '<[a-z][^<>]{0,500}\son[a-z]{3,20}\s?=', case_sensitive: false }
        - { pattern: '\b(?:javascript|vbscript):', case_sensitive: false }
        - { pattern: '\bdata:text/html\b', case_sensitive: false }
      REMOTE_IMAGE:
        # A picture whose address carries a text away as soon as it is shown.
        - '!\[[^\]\n]{0,200}\]\(https?://[^)\s]{1,500}[?&][^)\s=]{1,50}=[^)\s]{24,1000}\)'

rules:
  - id: owasp.block-injection
    title: Prompt injection that hardly is anything else is refused
    stage: pre
    severity: high
    tags: [owasp-llm01]
    when:
      all:
        - prompt_injection.score: { gte: 0.9 }
    then: { action: block, reason: content_policy_violation, detail: prompt-injection }
    on_unknown: match

  - id: owasp.block-hijacked-call
    title: Tool calls that nobody asked for are refused
    stage: tool
    severity: high
    tags: [owasp-llm01, owasp-llm06]
    when:
      all:
        - tool.hijack_score: { gte: 0.9 }
    then: { action: block, reason: tool_use_blocked, detail: hijacked-call }
    on_unknown: no_match # weir-ignore G111: a call that comes without its conversation has no score

  - id: owasp.redact-government-id-in-answer
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

  - id: owasp.redact-payment-in-answer
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

  # Expressions need the whole answer: a rule that acted here would hold back every stream to its end.
  - id: owasp.flag-active-content
    title: Answers that would run or load something where they are shown are flagged
    stage: post
    severity: medium
    tags: [owasp-llm05]
    when:
      all:
        - owasp_output.types: { any_of: [ACTIVE_CONTENT, REMOTE_IMAGE] }
    then: { action: flag }
    on_unknown: no_match

  - id: owasp.flag-wrong-arguments
    title: Tool calls whose arguments do not follow their schema are flagged
    stage: tool
    severity: medium
    tags: [owasp-llm05]
    when:
      all:
        - tool_schema.valid: false
    then: { action: flag }
    on_unknown: no_match

  - id: owasp.flag-undeclared-tool
    title: Calls of tools that the request did not offer are flagged
    stage: tool
    severity: high
    tags: [owasp-llm06]
    when:
      all:
        - tool.known: false
    then: { action: flag }
    on_unknown: no_match

  - id: owasp.flag-unstated-destination
    title: Messages, payments and shares to an address that nobody named are flagged
    stage: tool
    severity: high
    tags: [owasp-llm06]
    when:
      all:
        - tool.effect: { in: [message, pay, share] }
        - tool.unstated_destinations: { gt: 0 }
    then: { action: flag }
    on_unknown: no_match

  - id: owasp.block-prompt-leak
    title: Attempts to get at the system prompt are refused
    stage: pre
    severity: medium
    tags: [owasp-llm07]
    when:
      all:
        - prompt_injection.types: { any_of: [prompt_leak] }
        - prompt_injection.score: { gte: 0.7 }
    then: { action: block, reason: content_policy_violation, detail: prompt-leak }
    on_unknown: match

  - id: owasp.block-oversized-request
    title: Requests of more than a million characters are refused
    stage: pre
    severity: medium
    tags: [owasp-llm10]
    when:
      all:
        - request.chars: { gt: 1000000 }
    then: { action: block, reason: content_policy_violation, detail: oversized-request }
    on_unknown: match

  - id: owasp.block-call-loop
    title: The same tool call for the 26th time is refused
    stage: tool
    severity: medium
    tags: [owasp-llm10]
    when:
      all:
        - tool.repeats: { gte: 25 }
    then: { action: block, reason: tool_use_blocked, detail: call-loop }
    on_unknown: no_match # weir-ignore G111: a call that comes without its conversation repeats nothing

  - id: owasp.flag-call-burst
    title: More than 60 tool calls of a session within a minute are flagged
    stage: tool
    severity: medium
    tags: [owasp-llm10]
    when:
      all:
        - recent.tool_calls_1m: { gte: 60 }
    then: { action: flag }
    on_unknown: no_match
`;
