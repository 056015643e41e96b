import { CODING_AGENT_TESTS } from './coding-agent-tests.js';
import type { Pack } from './pack.js';

/** `weir:coding-agent@1`. */
export const CODING_AGENT: Pack = {
  name: 'weir:coding-agent@1',
  title: 'Coding agents',
  about:
    'For Claude Code, Cursor, Codex and agents of your own that run commands, edit files and fetch pages. Its rules check each tool call\nof an answer before the agent receives it. Tools are matched by the last part of their name, so `Bash`, `mcp__ops__run_command`\nand `functions.exec_command` are all covered.',
  source: {
    title: 'OWASP Top 10 for LLM Applications 2025, LLM06 Excessive Agency',
    url: 'https://genai.owasp.org/llm-top-10/',
  },
  clauses: [
    {
      clause: 'Shell tools',
      what: '`Bash` (Claude Code), `run_terminal_cmd` (Cursor), `shell`, `local_shell`, `exec_command`, `write_stdin` (Codex), and shell tools of MCP servers',
      covered: 'partly',
      rules: [
        'coding.block-destructive-command',
        'coding.block-unseen-code',
        'coding.block-remote-shell',
        'coding.flag-risky-command',
      ],
      words:
        'Covered: commands that wipe disks, home folders, databases or infrastructure; `curl … | sh` and similar commands; reverse shells. Not covered: the same commands hidden behind variables or aliases, in a script that was written to a file earlier, or in a program in another language. Only a sandbox stops these commands.',
    },
    {
      clause: 'File tools, reading',
      what: '`Read`, `Grep` (Claude Code), `read_file`, `grep_search` (Cursor), `view_image` (Codex), `read_text_file` (MCP filesystem)',
      covered: 'partly',
      rules: ['coding.block-credential-file', 'coding.flag-env-file'],
      words:
        'Covered: well-known credential files of SSH, AWS, Google Cloud, Kubernetes, Docker, GitHub, GnuPG and the system, also when read by `cat` and similar commands. `.env` is only flagged, because projects keep examples in it; if a file contains a live credential, the baseline refuses the call that would send it to the provider.',
    },
    {
      clause: 'File tools, writing',
      what: '`Write`, `Edit`, `MultiEdit`, `NotebookEdit` (Claude Code), `edit_file`, `search_replace`, `delete_file` (Cursor), `apply_patch` (Codex), `write_file` (MCP filesystem)',
      covered: 'partly',
      rules: ['coding.block-own-settings'],
      words:
        'Covered: settings and hooks of the agents themselves, MCP servers, Git hooks, start-up files of shells, cron, authorised keys, whether changed by file tools, patches or shell commands. Not covered: other files that a project executes (a `Makefile`, a test, `package.json`).',
    },
    {
      clause: 'Network tools',
      what: '`WebFetch`, `WebSearch` (Claude Code), `web_search` (Cursor, Codex), `fetch`, `browser_navigate` (MCP)',
      covered: 'partly',
      rules: [
        'coding.block-metadata-service',
        'coding.block-credential-in-call',
        'coding.flag-address-from-tool-result',
      ],
      words:
        'Covered: metadata services of clouds, credentials in a request, addresses that appeared only in a tool result. Not covered: data in the path of an address that the user named.',
    },
    {
      clause: 'Content that is read',
      what: 'Instructions planted in files, issues and pages',
      covered: 'partly',
      rules: ['injection.flag-likely', 'tool.flag-hijacked'],
      words:
        'Flagged by the baseline. Repositories contain many texts about prompts: monitor the flags for a while before you refuse calls.',
    },
    {
      clause: 'Loops',
      what: 'An agent that calls the same tool again and again',
      covered: 'partly',
      rules: ['coding.flag-loop'],
      words: 'Calls are flagged from the eleventh identical call in a conversation. Use `budgets` to limit the cost.',
    },
    {
      clause: 'Code',
      what: 'Safety of generated code, and existence of its packages',
      covered: 'no',
      rules: [],
      words: 'Not judged. Review and scan the code.',
    },
  ],
  yours: [
    'Run the agent in a sandbox. These rules read the arguments of a call; they cannot know the effects of a program.',
    'Send the agent through the proxy (`ANTHROPIC_BASE_URL`, `OPENAI_BASE_URL`), or call `weir` in its hooks. Calls that use neither are not judged.',
    'Add your own tools to the four lists `coding_…_tools` with `{ add: […] }`. `write_stdin` contains only the current line of a shell session, not the earlier ones.',
  ],
  tests: CODING_AGENT_TESTS,
};
