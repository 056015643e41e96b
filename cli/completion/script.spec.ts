import { execFileSync } from 'node:child_process';
import { completionScript, SHELLS } from './script.js';

const COMMANDS = [
  { words: 'lint', summary: "Find what's wrong", flags: ['--format', '--fix'] },
  { words: 'keys list', summary: 'Which keys there are', flags: ['--unused'] },
  { words: 'keys rotate', summary: 'A new key', flags: ['--delete-old-after'] },
  { words: 'keys notes add', summary: 'A note about a key', flags: ['--text'] },
];

/** The suggestions of bash for a command line whose last word is being typed. */
function offered(...words: string[]): string[] {
  const script = `${completionScript('bash', COMMANDS)}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _weir; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

describe('completionScript', () => {
  it('suggests commands, subcommands and flags in bash', () => {
    expect(offered('weir', '')).toEqual(['lint', 'keys']);
    expect(offered('weir', 'l')).toEqual(['lint']);
    expect(offered('weir', 'keys', 'ro')).toEqual(['rotate']);
    expect(offered('weir', 'keys', '')).toEqual(['list', 'rotate', 'notes']);
    expect(offered('weir', 'keys', 'notes', '')).toEqual(['add']);
    expect(offered('weir', 'keys', 'notes', 'add', '--t')).toEqual(['--text']);
    expect(offered('weir', 'lint', '--f')).toEqual(['--format', '--fix']);
    expect(offered('weir', 'keys', 'rotate', '--')).toContain('--delete-old-after');
  });

  it('contains every command and flag in every shell, and escapes their descriptions', () => {
    for (const shell of SHELLS) {
      const script = completionScript(shell, COMMANDS);
      for (const word of ['lint', 'rotate', 'delete-old-after']) expect(script).toContain(word);
    }
    expect(completionScript('fish', COMMANDS)).toContain("-a lint -d 'Find whats wrong'");
  });

  it('quotes the compared variables in fish, because a variable may be empty', () => {
    const [first] = completionScript('fish', COMMANDS).split('\n');
    expect(first).toBe('function __weir_at; set -l words (commandline -opc)[2..4]; test "$words" = "$argv"; end');
  });
});
