import type { CommandWords } from './command-words.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A static script for a shell: it completes commands and flags without running `weir`. */
export function completionScript(shell: Shell, commands: readonly CommandWords[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      // zsh supports completions of bash (https://zsh.sourceforge.io/Doc/Release/Completion-System.html, bashcompinit).
      return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
    case 'fish':
      return fish(commands);
  }
}

/** Maps the words typed so far to the possible next words; `''` maps to the first words. */
function tree(commands: readonly CommandWords[]): Map<string, string[]> {
  const following = new Map<string, string[]>();
  for (const { words } of commands) {
    const path = words.split(' ');
    for (const [index, word] of path.entries()) {
      const before = path.slice(0, index).join(' ');
      const known = following.get(before) ?? [];
      if (!known.includes(word)) following.set(before, [...known, word]);
    }
  }
  return following;
}

function bash(commands: readonly CommandWords[]): string {
  const following = tree(commands);
  const groups = [...following].filter(([before]) => before !== '');
  const depth = Math.max(...groups.map(([before]) => before.split(' ').length)) + 1;
  const cases = [
    ...groups.map(([first, next]) => `    '${first}') words='${next.join(' ')}' ;;`),
    ...commands.map(({ words, flags }) => `    '${words}') flags='${flags.join(' ')}' ;;`),
  ];
  return `_weir() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' flags='' index
  for ((index = 1; index < COMP_CWORD && index <= ${depth}; index++)); do
    case "\${COMP_WORDS[index]}" in -*) break ;; esac
    path="\${path:+$path }\${COMP_WORDS[index]}"
    case "$path" in
${groups.map(([first]) => `      '${first}') continue ;;`).join('\n')}
    esac
    break
  done
  case "$path" in
    '') words='${(following.get('') ?? []).join(' ')}' ;;
${cases.join('\n')}
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags --help" -- "$current"))
  elif [[ -n "$words" ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _weir weir
`;
}

function fish(commands: readonly CommandWords[]): string {
  const lines = [
    // $words must be quoted: before the first word the list is empty, and without quotes `test` would lack its first operand.
    'function __weir_at; set -l words (commandline -opc)[2..4]; test "$words" = "$argv"; end',
  ];
  const quoted = (text: string): string => `'${text.replaceAll("'", '')}'`;
  for (const [before, next] of tree(commands)) {
    const condition = before === '' ? '__fish_use_subcommand' : `__weir_at ${before}`;
    for (const word of next) {
      const about = commands.find(({ words }) => words === `${before} ${word}`.trim())?.summary ?? '';
      lines.push(`complete -c weir -n '${condition}' -f -a ${word} -d ${quoted(about)}`);
    }
  }
  for (const { words, flags } of commands) {
    const condition = words
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
    for (const flag of flags) lines.push(`complete -c weir -n '${condition}' -l ${flag.slice(2)}`);
  }
  return `${lines.join('\n')}\n`;
}
