/** Version 1 of the pack for credentials. */
export const SECRETS_STRICT_1 = String.raw`apiVersion: weir/v1
kind: Policy
metadata:
  id: weir-secrets-strict
  title: Credentials, strictly, version 1
  owner: Weir
  description: What only looks like a credential is refused too, passwords are looked for, and no tool gets any of them.
extends: [weir:baseline@1] # refuses live credentials in requests, masks them in answers

detectors:
  # Off in the baseline: what a person chose as a password looks like much else.
  secrets_passwords: { plugin: secrets@^1, codes: [password], timeout_ms: 2000 }

lists:
  # Found by form or name alone: an example, an expired token, or a live one.
  possible_credentials:
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
  # What servers for vaults and clouds call the tool that gives a secret in the clear.
  secret_tools:
    - access_secret_version
    - get_credential
    - get_credentials
    - get_password
    - get_secret
    - get_secret_value
    - item_get
    - read_secret
    - read_secrets

rules:
  - id: secrets-strict.block-possible-credential
    title: What looks like a credential never reaches a provider
    stage: pre
    severity: high
    tags: [owasp-llm02]
    when:
      any:
        - secrets.types: { any_of: $lists.possible_credentials }
        - secrets_passwords.types: { any_of: [password] }
    then: { action: block, reason: content_policy_violation, detail: possible-credential }
    message: Take passwords, tokens and keys out of your message, and send it again.
    on_unknown: match

  - id: secrets-strict.redact-possible-credential-in-answer
    title: What looks like a credential in an answer is masked
    stage: post
    severity: high
    tags: [owasp-llm02]
    when:
      any:
        - secrets.types: { any_of: $lists.possible_credentials }
        - secrets_passwords.types: { any_of: [password] }
    then:
      action: redact
      redact:
        entities:
          - secrets/basic_auth
          - secrets/bearer_token
          - secrets/command_password
          - secrets/generic_secret
          - secrets/jwt
          - secrets/password_hash
          - secrets/prefixed_token
          - secrets/session_cookie
          - secrets/signed_url
          - secrets/url_credentials
          - secrets_passwords/password
        with: '[{type}_{n}]'
    on_unknown: match

  - id: secrets-strict.block-credential-in-tool-call
    title: No tool gets a credential out of a model's hands
    stage: tool
    severity: critical
    tags: [owasp-llm02, owasp-llm06]
    when:
      any:
        - secrets.types: { any_of: $lists.live_credentials }
        - secrets.types: { any_of: $lists.possible_credentials }
        - secrets_passwords.types: { any_of: [password] }
    then: { action: block, reason: tool_use_blocked, detail: credential-in-tool-call }
    on_unknown: match

  - id: secrets-strict.block-secret-manager-call
    title: Tools that hand out secrets are not called
    stage: tool
    severity: high
    tags: [owasp-llm06]
    when:
      any:
        - tool.name: { tool_any_of: $lists.secret_tools }
        # Parameters of AWS Systems Manager are settings, unless they are asked for decrypted.
        - all:
            - tool.name: { tool_any_of: [get_parameter, get_parameters, get_parameters_by_path] }
            - any:
                - tool.args.WithDecryption: { eq: true }
                - tool.args.with_decryption: { eq: true }
    then: { action: block, reason: tool_use_blocked, detail: secret-manager }
    on_unknown: match
`;
