import type { Invocation, OwnerCommand } from './command.js';
import { UsageError } from '../usageError.js';

type Shell = 'bash' | 'zsh' | 'fish';

/** Shell completion; `commands` returns all commands of `dhara`. */
export function completionCommand(commands: () => readonly OwnerCommand[]): OwnerCommand {
  return {
    name: 'completion',
    positionals: ['<shell>'],
    options: {},
    choices: { '<shell>': Object.keys(SCRIPTS) },
    summary: 'prints completion for bash, zsh or fish',
    run({ positionals, output }: Invocation): Promise<void> {
      const script = SCRIPTS[positionals[0] as Shell];
      if (script === undefined) throw new UsageError('dhara completion takes bash, zsh or fish.');
      const text = script(commands());
      output.line({ script: text }, text);
      return Promise.resolve();
    },
  };
}

/** What can come after `before`, the word in front of the cursor; empty for text of one's own. */
interface Next {
  readonly before: string;
  readonly words: readonly string[];
}

/** After each option that takes a value. */
function valuesOf({ options, choices = {} }: OwnerCommand): Next[] {
  return Object.entries(options)
    .filter(([, { type }]) => type === 'string')
    .map(([name]) => ({ before: `--${name}`, words: choices[name] ?? [] }));
}

/** Everywhere else. */
function wordsOf({ positionals, options, choices = {} }: OwnerCommand): string[] {
  const names = [...Object.keys(options), 'json'].map((name) => `--${name}`);
  return [...positionals.flatMap((positional) => choices[positional] ?? []), ...names];
}

/** Branches over the command and the word before the cursor. */
function branches(commands: readonly OwnerCommand[], does: (words: string) => string): string {
  return commands
    .flatMap((one) => [
      ...valuesOf(one).map(({ before, words }) => `    '${one.name} ${before}') ${does(words.join(' '))} ;;`),
      `    '${one.name} '*) ${does(wordsOf(one).join(' '))} ;;`,
    ])
    .join('\n');
}

/** The summary without its options. */
function shortSummary({ summary }: OwnerCommand): string {
  return summary.replaceAll("'", '’').replace(/ (\[|--).*/, '');
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly OwnerCommand[]) => string>> = {
  bash: (commands) => `_dhara() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words='${commands.map(({ name }) => name).join(' ')}'
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD - 1]}" in
${branches(commands, (words) => `words='${words}'`)}
      *) words='' ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _dhara dhara`,
  zsh: (commands) => `#compdef dhara
_dhara() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map((one) => `      '${one.name}:${shortSummary(one)}'`).join('\n')}
    )
    _describe command commands
    return
  fi
  case "$words[2] $words[CURRENT-1]" in
${branches(commands, (words) => `compadd -- ${words}`)}
  esac
}
if [ "$funcstack[1]" = _dhara ]; then _dhara "$@"; else compdef _dhara dhara; fi`,
  fish: (commands) =>
    [
      'complete -c dhara -f',
      ...commands.flatMap((one) => {
        const after = `complete -c dhara -n '__fish_seen_subcommand_from ${one.name}'`;
        const values = new Map(valuesOf(one).map(({ before, words }) => [before, words]));
        return [
          `complete -c dhara -n __fish_use_subcommand -a ${one.name} -d '${shortSummary(one)}'`,
          ...wordsOf(one).map((word) => {
            if (!word.startsWith('--')) return `${after} -a ${word}`;
            const taken = values.get(word);
            return `${after} -l ${word.slice(2)}${taken ? ` -x -a '${taken.join(' ')}'` : ''}`;
          }),
        ];
      }),
    ].join('\n'),
};
