import { CODING_AGENT_TESTS } from './coding-agent-tests.js';
import type { Pack } from './pack.js';

/** `weir:coding-agent@1`. */
export const CODING_AGENT: Pack = {
  name: 'weir:coding-agent@1',
  title: 'Coding agents',
  about:
    'For Claude Code, Cursor, Codex and agents of your own that run commands, edit files and fetch pages. Its rules look at each tool call\nof an answer before the agent gets it. It takes tools by their last part, so `Bash`, `mcp__ops__run_command` and\n`functions.exec_command` are all met.',
  source: {
    title: 'OWASP Top 10 for LLM Applications 2025, LLM06 Excessive Agency',
    url: 'https://genai.owasp.org/llm-top-10/',
  },
  clauses: [
    {
      clause: 'Shell tools',
      what: '`Bash` (Claude Code), `run_terminal_cmd` (Cursor), `shell`, `local_shell`, `exec_command`, `write_stdin` (Codex), and those of MCP servers',
      covered: 'partly',
      rules: [
        'coding.block-destructive-command',
        'coding.block-unseen-code',
        'coding.block-remote-shell',
        'coding.flag-risky-command',
      ],
      words:
        'Commands that wipe disks, home folders, databases or infrastructure; `curl … | sh` and its like; reverse shells. Not: the same behind variables or aliases, in a script that was written to a file before, or in a program of another language. A sandbox stops those; this does not.',
    },
    {
      clause: 'File tools, reading',
      what: '`Read`, `Grep` (Claude Code), `read_file`, `grep_search` (Cursor), `view_image` (Codex), `read_text_file` (MCP filesystem)',
      covered: 'partly',
      rules: ['coding.block-credential-file', 'coding.flag-env-file'],
      words:
        'Well-known files of SSH, AWS, Google Cloud, Kubernetes, Docker, GitHub, GnuPG and the system, also by `cat` and the like. `.env` is flagged, as projects keep examples in it; a live credential in what is read is refused by the baseline when it would reach the provider.',
    },
    {
      clause: 'File tools, writing',
      what: '`Write`, `Edit`, `MultiEdit`, `NotebookEdit` (Claude Code), `edit_file`, `search_replace`, `delete_file` (Cursor), `apply_patch` (Codex), `write_file` (MCP filesystem)',
      covered: 'partly',
      rules: ['coding.block-own-settings'],
      words:
        'Settings and hooks of the agents themselves, MCP servers, Git hooks, start-up files of shells, cron, authorised keys; by file tools, patches and shell. Not: where else a project can be made to run something (a `Makefile`, a test, `package.json`).',
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
        'Metadata services of clouds, credentials in a request, addresses that came from a tool result alone. Not: data that is put into the path of an address the user named.',
    },
    {
      clause: 'What is read',
      what: 'Orders planted in files, issues and pages',
      covered: 'partly',
      rules: ['injection.flag-likely', 'tool.flag-hijacked'],
      words:
        'Flagged by the baseline. Repositories are full of texts about prompts: flag for a while before you refuse.',
    },
    {
      clause: 'Loops',
      what: 'An agent that calls the same tool again and again',
      covered: 'partly',
      rules: ['coding.flag-loop'],
      words: 'From the eleventh equal call of one conversation on. What they may cost is a matter of `budgets`.',
    },
    {
      clause: 'Code',
      what: 'Whether the code that is written is safe, and its packages are real',
      covered: 'no',
      rules: [],
      words: 'Not judged. Review it, scan it.',
    },
  ],
  yours: [
    'Run the agent in a sandbox. These rules read what a call says; they cannot know what a program does.',
    'Send the agent through the proxy (`ANTHROPIC_BASE_URL`, `OPENAI_BASE_URL`), or ask `weir` in its hooks. Calls that are made without either are not seen.',
    'Add your own tools to the four lists `coding_…_tools` with `{ add: […] }`. `write_stdin` shows one line of what is typed into a shell, not what was typed before.',
  ],
  tests: CODING_AGENT_TESTS,
};
