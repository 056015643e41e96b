/** Version 1 of the pack for coding agents. */
export const CODING_AGENT_1 = String.raw`apiVersion: weir/v1
kind: Policy
metadata:
  id: weir-coding-agent
  title: Coding agents, version 1
  owner: Weir
  description: Commands that destroy, files with credentials and the agent's own settings are out of reach of a coding agent.
extends: [weir:baseline@1]

detectors:
  # What stands in the arguments of a call, whatever they are called. Expressions see the text of one argument at a time.
  coding_calls:
    plugin: regex@^1
    timeout_ms: 2000
    patterns:
      AGENT_FILE:
        - '^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: )?(?:\S{0,500}/)?(?:\.claude/(?:settings(?:\.local)?\.json|hooks/\S{1,100})|\.mcp\.json|\.cursor/mcp\.json|\.codex/config\.toml|\.vscode/(?:settings|tasks)\.json|\.git/(?:hooks/\S{1,100}|config)|\.(?:bashrc|bash_profile|profile|zshrc|zprofile)|\.ssh/(?:authorized_keys|config)|etc/cron\S{0,100}|\.config/systemd/\S{1,100}|Library/LaunchAgents/\S{1,100})$'
      BYPASSES_APPROVAL:
        - '--(?:dangerously-skip-permissions|dangerously-bypass-approvals-and-sandbox|yolo)\b'
      CREDENTIAL_FILE:
        - '\.ssh/id_[a-z0-9_]{1,20}(?:[\s"'';|&)]|$)'
        - '\.aws/credentials\b'
        - '\.(?:netrc|pypirc|git-credentials|vault-token)\b'
        - '\.docker/config\.json\b'
        - '\.kube/config\b'
        - '\.config/(?:gcloud/(?:application_default_credentials|credentials|access_tokens)|gh/hosts\.yml)'
        - '\.gnupg/'
        - '/etc/(?:g?shadow|sudoers)\b'
        - '/proc/(?:self|\d{1,10})/environ\b'
      DESTROYS:
        # The rm of git is another one: what it takes out of the index stands in the repository.
        - '(?:^\s{0,20}|[^t\s]\s{0,5}|(?:^|[^i])t\s{1,5})\brm\s+(?:-[\w-]{1,30}\s+){0,4}-{1,2}(?:[A-Za-z]{0,5}[rR][A-Za-z]{0,5}|recursive)\s+(?:-[\w-]{1,30}\s+){0,4}["'']?(?:~/?\*?|\$\{?HOME\}?/?\*?|\*|\.\.?/?|/(?:(?:bin|boot|dev|etc|home|lib|opt|root|sbin|srv|sys|usr|var|Users|System|Library)/?)?\*?)["'']?(?:[\s;&|)]|$)'
        - '\bfind\s+(?:/|~|\$HOME)\S{0,100}\s[^\n]{0,200}-delete\b'
        - '\bmkfs(?:\.\w{1,10})?\s'
        - '\bdd\b[^\n]{0,200}\bof=/dev/(?:sd|nvme|hd|vd|xvd|disk|mmcblk)'
        - '>\s{0,5}/dev/(?:sd|nvme|hd|vd|xvd|disk|mmcblk)'
        - ':\(\)\s{0,3}\{\s{0,3}:\s{0,3}\|\s{0,3}:\s{0,3}&\s{0,3}\}\s{0,3};\s{0,3}:'
        - '\bchmod\s+-\w{0,5}R\w{0,5}\s+\S{1,20}\s+/(?:[\s;&|]|$)'
        # In what is given to a client of a database, in code that runs it, or typed alone: texts may speak of it.
        - pattern: '(?:^|[\s;&|(/])(?:psql|pgcli|usql|cockroach|mysql|mariadb|mycli|sqlite3?|litecli|duckdb|sqlcmd|sqlplus|snowsql|bq|clickhouse(?:-client)?|cqlsh|beeline|hive|trino|wrangler)\s(?:[^;&|]|\n){0,400}?\b(?:drop|truncate)\s+(?:database|schema|table)\b'
          case_sensitive: false
        - pattern: '\b(?:drop|truncate)\s+(?:database|schema|table)\b[^|]{0,400}\|\s{0,5}(?:\S{1,100}\s){0,6}(?:psql|mysql|mariadb|sqlite3?|duckdb|sqlcmd|sqlplus|snowsql|bq|clickhouse(?:-client)?|cqlsh|beeline|hive|trino)\b'
          case_sensitive: false
        - { pattern: '\b(?:execute|executescript|query|raw|exec)\s{0,3}\(\s{0,5}\\?["''\x60]{1,3}\s{0,10}(?:drop|truncate)\s+(?:database|schema|table)\b', case_sensitive: false }
        - { pattern: '^\s{0,20}(?:drop|truncate)\s+(?:database|schema|table)\b', case_sensitive: false }
        - '\b(?:terraform|tofu|pulumi)\s+destroy\b'
        - '\bkubectl\s+delete\s+(?:[^\n]{0,100}--all\b|(?:ns|namespaces?|pv|pvc|crd)\b)'
        - '\baws\s+s3\s+(?:rb|rm)\b[^\n]{0,200}--(?:force|recursive)\b'
        - { pattern: '\bremove-item\b[^\n]{0,200}-recurse\b[^\n]{0,100}\b[a-z]:\\(?:[\s*"'']|$)', case_sensitive: false }
        - { pattern: '\b(?:del|rd|rmdir)\s+(?:/[a-z]\s+){1,4}"?[a-z]:\\(?:[\s*"]|$)', case_sensitive: false }
        - { pattern: '\bformat\s+[a-z]:(?:\s|$)', case_sensitive: false }
      ENV_FILE:
        - '(?:^|[\s/"''=])\.env(?:\.(?:local|dev|development|staging|prod|production))?(?:[\s"'';|&)]|$)'
      METADATA_SERVICE:
        - '\b169\.254\.169\.254\b'
        - '\bmetadata\.google\.internal\b'
        - '\b100\.100\.100\.200\b'
        - 'fd00:ec2::254'
      OPENS_SHELL:
        - '/dev/(?:tcp|udp)/'
        - '\b(?:nc|ncat|netcat)\b[^\n]{0,100}\s-\w{0,5}[ec]\w{0,5}\s'
        - '\bmkfifo\b[^\n]{0,200}\b(?:nc|ncat|netcat|telnet)\b'
      PRIVILEGED:
        - '\b(?:sudo|doas|pkexec)\s'
      REWRITES_HISTORY:
        - '\bgit\s+push\b[^\n]{0,200}\s(?:--force|-f)(?:\s|$)'
        - '\bgit\s+push\b[^\n]{0,200}\s(?:--delete|--mirror)\b'
        - '\bgit\s+(?:reset\s+--hard|clean\s+-\w{0,5}f|filter-branch|filter-repo)'
      RUNS_UNSEEN:
        # With a program of its own, as python3 -m json.tool has it, an interpreter reads what it is sent and does not run it.
        - '\b(?:curl|wget)\b[^\n|;]{0,400}\|\s{0,5}(?:sudo\s+)?(?:/\S{1,50}/)?(?:(?:ba|z|da|k)?sh\b|(?:python[\d.]{0,5}|node|perl|ruby)(?:\s+-[BEIOSqsuwW]{1,5}){0,3}(?:\s{0,5}(?:-(?:\s|$)|[;&|)>"'']|\d>|$)|\s+/dev/(?:stdin|fd/0)\b|\s[^\n]{0,300}\b(?:exec|eval)\b))'
        - '(?:\b(?:ba|z|da)?sh|\bsource|\beval|(?:^|\s)\.)\s[^\n]{0,30}[<$]\(\s{0,5}(?:curl|wget)\b'
        - '\bbase64\s+(?:-d|-D|--decode)\b[^\n;]{0,200}\|\s{0,5}(?:sudo\s+)?(?:(?:ba|z|da)?sh|python3?|perl)\b'
        - { pattern: '\b(?:iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n;]{0,400}\|\s{0,5}(?:iex|invoke-expression)\b', case_sensitive: false }
      SENDS_FILE:
        - '\bcurl\b[^\n]{0,300}\s(?:-d|--data|--data-binary|--data-raw|--data-urlencode|-F|--form)[\s=]{0,3}["'']?(?:\w{1,40}=)?@'
        - '\bcurl\b[^\n]{0,300}\s(?:-T|--upload-file)\s'
        - '\|\s{0,5}(?:curl|nc|ncat|netcat)\s'
      WRITES_AGENT_FILE:
        # Within one simple command: what is read behind 2>/dev/null; is not written.
        - '(?:(?:>[&|]?|\b(?:tee|cp|mv|ln|install)\b)[^\n;|&]{0,200}|\bsed\s+-i[^\n]{0,200})(?:\.claude/(?:settings|hooks)|\.mcp\.json|\.cursor/mcp\.json|\.codex/config\.toml|\.vscode/(?:settings|tasks)\.json|\.git/hooks/|\.(?:bashrc|bash_profile|profile|zshrc|zprofile)\b|\.ssh/(?:authorized_keys|config)\b|/etc/cron|\.config/systemd/|Library/LaunchAgents/)'
        - '\bcrontab\s+(?:-(?:\s|$)|[^-\s])'

lists:
  # Claude Code, Cursor, Codex, and servers of the Model Context Protocol. By their last part: mcp__ops__run_command is one, too.
  coding_network_tools:
    - browser_navigate
    - fetch
    - fetch_url
    - navigate
    - web_fetch
    - web_search
    - webfetch
    - websearch
  coding_read_tools:
    - get_file_contents
    - grep
    - grep_files
    - grep_search
    - read
    - read_file
    - read_media_file
    - read_multiple_files
    - read_text_file
    - view
    - view_image
  coding_shell_tools:
    - bash
    - container.exec
    - exec_command
    - execute_command
    - local_shell
    - powershell
    - run_command
    - run_in_terminal
    - run_terminal_cmd
    - run_terminal_command
    - shell
    - shell_command
    - start_process
    - terminal
    - write_stdin
  coding_write_tools:
    - apply_patch
    - create_file
    - create_or_update_file
    - delete_file
    - edit
    - edit_file
    - edit_notebook
    - move_file
    - multiedit
    - notebookedit
    - push_files
    - search_replace
    - str_replace_based_edit_tool
    - str_replace_editor
    - write
    - write_file

rules:
  - id: coding.block-destructive-command
    title: Commands that wipe disks, home folders, databases or infrastructure do not run
    stage: tool
    severity: critical
    tags: [owasp-llm06]
    when:
      all:
        - tool.name: { tool_any_of: $lists.coding_shell_tools }
        - any:
            - coding_calls.types: { any_of: [DESTROYS] }
            # Codex may give a command as a list of words.
            - all:
                - tool.args.command.0: { in: [/bin/rm, rm] }
                - tool.args.command.1: { in: [-R, -Rf, -fR, -fr, -r, -rf, --recursive] }
                - tool.args.command.2: { in: ['*', ., .., /, '/*', '~', '~/'] }
    then: { action: block, reason: tool_use_blocked, detail: destructive-command }
    on_unknown: match

  - id: coding.block-unseen-code
    title: What was just downloaded or decoded does not run unread
    stage: tool
    severity: critical
    tags: [owasp-llm03, owasp-llm06]
    when:
      all:
        - tool.name: { tool_any_of: $lists.coding_shell_tools }
        - coding_calls.types: { any_of: [RUNS_UNSEEN] }
    then: { action: block, reason: tool_use_blocked, detail: unseen-code }
    on_unknown: match

  - id: coding.block-remote-shell
    title: No command hands a shell to another machine
    stage: tool
    severity: critical
    tags: [owasp-llm06]
    when:
      all:
        - tool.name: { tool_any_of: $lists.coding_shell_tools }
        - coding_calls.types: { any_of: [OPENS_SHELL] }
    then: { action: block, reason: tool_use_blocked, detail: remote-shell }
    on_unknown: match

  - id: coding.block-credential-file
    title: Files that hold keys and tokens are not read
    stage: tool
    severity: critical
    tags: [owasp-llm02]
    when:
      all:
        - any:
            - tool.name: { tool_any_of: $lists.coding_shell_tools }
            - tool.name: { tool_any_of: $lists.coding_read_tools }
        - coding_calls.types: { any_of: [CREDENTIAL_FILE] }
    then: { action: block, reason: tool_use_blocked, detail: credential-file }
    on_unknown: match

  - id: coding.block-own-settings
    title: An agent does not change its own permissions, hooks, or what runs at the next start
    stage: tool
    severity: critical
    tags: [owasp-llm06]
    when:
      any:
        - all:
            - tool.name: { tool_any_of: $lists.coding_write_tools }
            - coding_calls.types: { any_of: [AGENT_FILE] }
        - all:
            - tool.name: { tool_any_of: $lists.coding_shell_tools }
            - coding_calls.types: { any_of: [BYPASSES_APPROVAL, WRITES_AGENT_FILE] }
    then: { action: block, reason: tool_use_blocked, detail: own-settings }
    on_unknown: match

  - id: coding.block-metadata-service
    title: The metadata service of a cloud, which gives out credentials, is not asked
    stage: tool
    severity: critical
    tags: [owasp-llm02]
    when:
      all:
        - any:
            - tool.name: { tool_any_of: $lists.coding_shell_tools }
            - tool.name: { tool_any_of: $lists.coding_network_tools }
        - coding_calls.types: { any_of: [METADATA_SERVICE] }
    then: { action: block, reason: tool_use_blocked, detail: metadata-service }
    on_unknown: match

  - id: coding.block-credential-in-call
    title: No live credential goes into a command or to the web
    stage: tool
    severity: critical
    tags: [owasp-llm02]
    when:
      all:
        - any:
            - tool.name: { tool_any_of: $lists.coding_shell_tools }
            - tool.name: { tool_any_of: $lists.coding_network_tools }
        - secrets.types: { any_of: $lists.live_credentials }
    then: { action: block, reason: tool_use_blocked, detail: live-credential }
    on_unknown: match

  - id: coding.flag-risky-command
    title: Commands with more rights, rewritten history and files that are sent away are flagged
    stage: tool
    severity: medium
    tags: [owasp-llm06]
    when:
      all:
        - tool.name: { tool_any_of: $lists.coding_shell_tools }
        - coding_calls.types: { any_of: [PRIVILEGED, REWRITES_HISTORY, SENDS_FILE] }
    then: { action: flag }
    on_unknown: no_match

  - id: coding.flag-env-file
    title: Environment files that are read are flagged
    stage: tool
    severity: medium
    tags: [owasp-llm02]
    when:
      all:
        - any:
            - tool.name: { tool_any_of: $lists.coding_shell_tools }
            - tool.name: { tool_any_of: $lists.coding_read_tools }
        - coding_calls.types: { any_of: [ENV_FILE] }
    then: { action: flag }
    on_unknown: no_match

  - id: coding.flag-address-from-tool-result
    title: Calls that reach out to an address which only a tool result named are flagged
    stage: tool
    severity: high
    tags: [owasp-llm01]
    when:
      all:
        - any:
            - tool.name: { tool_any_of: $lists.coding_shell_tools }
            - tool.name: { tool_any_of: $lists.coding_network_tools }
        - tool.untrusted_kinds: { any_of: [account, email, phone, url] }
    then: { action: flag }
    on_unknown: no_match

  - id: coding.flag-loop
    title: The same call over and over is flagged
    stage: tool
    severity: low
    tags: [owasp-llm10]
    when:
      all:
        - tool.repeats: { gte: 10 }
    then: { action: flag }
    on_unknown: no_match
`;
