import type { CommandWords } from './command-words.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A script that a shell reads once: it completes commands and flags, and runs nothing. */
export function completionScript(shell: Shell, commands: readonly CommandWords[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      // zsh reads bash's completions (https://zsh.sourceforge.io/Doc/Release/Completion-System.html, bashcompinit).
      return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
    case 'fish':
      return fish(commands);
  }
}

/** First words, and what may follow each of them. */
function tree(commands: readonly CommandWords[]): Map<string, string[]> {
  const second = new Map<string, string[]>();
  for (const { words } of commands) {
    const [first = '', next] = words.split(' ');
    second.set(first, [...(second.get(first) ?? []), ...(next === undefined ? [] : [next])]);
  }
  return second;
}

function bash(commands: readonly CommandWords[]): string {
  const second = tree(commands);
  const groups = [...second].filter(([, next]) => next.length > 0);
  const cases = [
    ...groups.map(([first, next]) => `    ${first}) words='${next.join(' ')}' ;;`),
    ...commands.map(({ words, flags }) => `    '${words}') flags='${flags.join(' ')}' ;;`),
  ];
  return `_weir() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' flags='' index
  for ((index = 1; index < COMP_CWORD && index < 3; index++)); do
    case "\${COMP_WORDS[index]}" in -*) break ;; esac
    path="\${path:+$path }\${COMP_WORDS[index]}"
    case "$path" in
${groups.map(([first]) => `      ${first}) continue ;;`).join('\n')}
    esac
    break
  done
  case "$path" in
    '') words='${[...second.keys()].join(' ')}' ;;
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
    // Through a variable: without a word yet the list is empty, and an empty list is no argument of `test`.
    'function __weir_at; set -l words (commandline -opc)[2..3]; test "$words" = "$argv"; end',
  ];
  const quoted = (text: string): string => `'${text.replaceAll("'", '')}'`;
  for (const [first, next] of tree(commands)) {
    const summary = commands.find(({ words }) => words === first)?.summary ?? '';
    lines.push(`complete -c weir -n '__fish_use_subcommand' -f -a ${first} -d ${quoted(summary)}`);
    for (const word of next) {
      const about = commands.find(({ words }) => words === `${first} ${word}`)?.summary ?? '';
      lines.push(`complete -c weir -n '__weir_at ${first}' -f -a ${word} -d ${quoted(about)}`);
    }
  }
  for (const { words, flags } of commands) {
    const [first = '', next] = words.split(' ');
    const condition =
      next === undefined
        ? `__fish_seen_subcommand_from ${first}`
        : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${next}`;
    for (const flag of flags) lines.push(`complete -c weir -n '${condition}' -l ${flag.slice(2)}`);
  }
  return `${lines.join('\n')}\n`;
}
