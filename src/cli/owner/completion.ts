import type { Invocation, OwnerCommand } from './command.js';
import { UsageError } from './errors.js';

type Shell = 'bash' | 'zsh' | 'fish';

/** Shell completion; `commands` returns all commands of `dhara`. */
export function completionCommand(commands: () => readonly OwnerCommand[]): OwnerCommand {
  return {
    name: 'completion',
    positionals: ['<shell>'],
    options: {},
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

function optionsOf({ options }: OwnerCommand): string {
  return [...Object.keys(options), 'json'].map((name) => `--${name}`).join(' ');
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly OwnerCommand[]) => string>> = {
  bash: (commands) => `_dhara() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.map((one) => `    ${one.name}) COMPREPLY=($(compgen -W "${optionsOf(one)}" -- "$word")) ;;`).join('\n')}
  esac
}
complete -F _dhara dhara`,
  zsh: (commands) => `#compdef dhara
_dhara() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, summary }) => `      '${name}:${summary.replaceAll("'", '’').replace(/ \[.*/, '')}'`).join('\n')}
    )
    _describe command commands
    return
  fi
  case $words[2] in
${commands.map((one) => `    ${one.name}) compadd -- ${optionsOf(one)} ;;`).join('\n')}
  esac
}
compdef _dhara dhara`,
  fish: (commands) =>
    commands
      .flatMap((one) => [
        `complete -c dhara -n __fish_use_subcommand -f -a ${one.name} -d '${one.summary.replaceAll("'", '’').replace(/ \[.*/, '')}'`,
        ...[...Object.keys(one.options), 'json'].map(
          (option) => `complete -c dhara -n '__fish_seen_subcommand_from ${one.name}' -f -l ${option}`,
        ),
      ])
      .join('\n'),
};
