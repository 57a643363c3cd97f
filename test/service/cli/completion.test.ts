import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { ALL_EVENT_TYPES } from '../../../src/domain/shared/events/eventTypes.js';
import { hasPrograms } from '../../support/programs.js';
import { dhara } from '../../support/terminal.js';

/** Its own completion works at a prompt alone, so these print what they are given. */
const ZSH_PRINTS = `compdef() { }
compadd() { shift; print -l -- \${(M)@:#$words[CURRENT]*} }
_describe() { local -a all=("\${(@P)2}"); compadd -- "\${(@)all%%:*}" }`;

/** What each shell needs to complete the words of a command line, the last of which is being typed. */
const SHELLS: Readonly<Record<string, (script: string, words: readonly string[]) => string>> = {
  bash: (script, words) => `${script}
COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}; _dhara; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (script, words) => `${ZSH_PRINTS}
${script}
words=(${quoted(words)}); CURRENT=${words.length}; _dhara`,
  fish: (script, words) => `${script}
complete -C "${words.join(' ')}" | string split -f1 \\t`,
};

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' ');
}

/** `zsh` and `fish` are not on every machine. */
describe.for(Object.entries(SHELLS))('the completion for %s', ([shell, typed]) => {
  let script: string;
  beforeAll(async () => {
    const { code, out } = await dhara(['completion', shell], {});
    expect(code).toBe(0);
    script = out;
  });

  function completions(...words: string[]): string[] {
    const { stdout, stderr } = spawnSync(shell, ['-c', typed(script, ['dhara', ...words])], {
      encoding: 'utf8',
      // Of no user.
      env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
    });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((line) => line !== '');
  }

  it.runIf(hasPrograms([shell], shell))('offers commands, options, and the words that an option can be', () => {
    expect(completions('vi').toSorted()).toEqual(['video', 'videos']);
    expect(completions('wallet', '--').toSorted()).toEqual(['--json']);
    expect(completions('videos', '--').toSorted()).toEqual(['--json', '--limit', '--q', '--status', '--tag', '--test']);
    expect(completions('videos', '--status', 're')).toEqual(['ready']);
    expect(completions('events', '--types', '').toSorted()).toEqual(ALL_EVENT_TYPES.toSorted());
    expect(completions('fault', 'o')).toEqual(['out-of-order']);
    expect(completions('completion', 'z')).toEqual(['zsh']);
    // After these comes text of one's own.
    expect(completions('login', '--url', '')).toEqual([]);
    expect(completions('nonsense', '')).toEqual([]);
  });
});

it.runIf(hasPrograms(['zsh'], 'zsh'))(
  'zsh completes at the first key if the script is a file of its fpath',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dhara-fpath-'));
    await writeFile(join(folder, '_dhara'), (await dhara(['completion', 'zsh'], {})).out);
    const typed = `${ZSH_PRINTS}
fpath=('${folder}'); autoload -Uz _dhara; words=(dhara wal); CURRENT=2; _dhara`;
    const { stdout, stderr } = spawnSync('zsh', ['-c', typed], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    await rm(folder, { recursive: true });
    expect({ stdout, stderr }).toEqual({ stdout: 'wallet\n', stderr: '' });
  },
);
