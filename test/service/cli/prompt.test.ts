import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { PASSWORD } from '../../support/identity/service.js';
import { HAS_PSEUDO_TERMINALS, PseudoTerminal } from '../../support/pseudoTerminal.js';
import { GraphqlService } from '../graphql/service.js';

const MAIN = resolve('dist/main.js');
const EMAIL = 'typist@example.com';
/** Not letters: the name of the folder for the token is random, and is shown. */
const TYPO = '%%';
const ENTER = '\r';
const BACKSPACE = '\x7f';
const CTRL_C = '\x03';
const CTRL_D = '\x04';

let service: GraphqlService;
let configHome: string;

beforeAll(async () => {
  service = await GraphqlService.start();
  await service.signedIn(EMAIL);
});
afterAll(() => service?.stop());
beforeEach(async () => {
  await service.rows('delete from auth."rateLimit"');
  configHome = await mkdtemp(join(tmpdir(), 'dhara-prompt-'));
});
afterEach(() => rm(configHome, { recursive: true }));

const loginFile = (): string => join(configHome, 'dhara', 'login.json');

/** `dhara login` in a terminal, and afterwards its exit code and the settings of the terminal. */
function logIn(): PseudoTerminal {
  const login = `'${process.execPath}' '${MAIN}' login --url ${service.url} --scopes read`;
  return new PseudoTerminal(`${login}; echo "exit code $?"; stty -a`, { XDG_CONFIG_HOME: configHome });
}

/** The terminal shows what is typed again, by lines, and Ctrl-C is a signal again. */
function expectSane(shown: string): void {
  for (const setting of ['icanon', 'echo', 'isig', 'icrnl', 'opost']) {
    expect(shown).toMatch(new RegExp(`[\\s;]${setting}[\\s;]`));
  }
}

describe.runIf(HAS_PSEUDO_TERMINALS)('the questions of dhara login in a terminal', () => {
  it('show the email and never the password, with corrections in both', async () => {
    const terminal = logIn();
    await terminal.shows('Email: ');
    terminal.type(`typo${BACKSPACE}ist@example.com${ENTER}`);
    await terminal.shows('Password: ');
    terminal.type(`${PASSWORD}${TYPO}${BACKSPACE}${BACKSPACE}${ENTER}`);
    const { out } = await terminal.ended();
    expect(out).toContain('exit code 0');
    expect(out).toContain(`Logged in to ${service.url}`);
    expect(stripVTControlCharacters(out)).toContain(`Email: ${EMAIL}`);
    expectHidden(out);
    expectSane(out);
    expect(await readFile(loginFile(), 'utf8')).toContain('dpat_');
  });

  it.each([
    ['a password with a line break', '\n'],
    ['a password with a Windows line break', '\r\n'],
  ])('take %s that is pasted', async (_name, lineBreak) => {
    const terminal = logIn();
    await terminal.shows('Email: ');
    terminal.type(EMAIL + ENTER);
    await terminal.shows('Password: ');
    terminal.type(PASSWORD + lineBreak);
    const { out } = await terminal.ended();
    expect(out).toContain('exit code 0');
    expectHidden(out);
  });

  it('do not show a password that is pasted together with the email', async () => {
    const terminal = logIn();
    await terminal.shows('Email: ');
    terminal.type(EMAIL + ENTER + PASSWORD + ENTER);
    const { out } = await terminal.ended();
    expect(out).toContain('exit code 0');
    expect(out).toContain(EMAIL);
    expectHidden(out);
  });

  it.each([
    ['email', [], 'Email: '],
    ['password', [EMAIL + ENTER], 'Password: '],
  ])('end with 130 at Ctrl-C in the %s, and leave the terminal as it was', async (_name, answers, question) => {
    const terminal = logIn();
    await terminal.shows('Email: ');
    for (const answer of answers) terminal.type(answer);
    await terminal.shows(question);
    terminal.type(`half${CTRL_C}`);
    const { out } = await terminal.ended();
    expect(out).toContain('\nexit code 130');
    expect(out).not.toContain('dhara:');
    expectSane(out);
    await expect(stat(loginFile())).rejects.toThrow('ENOENT');
  });

  it('end with 2 at Ctrl-D, and say why', async () => {
    const terminal = logIn();
    await terminal.shows('Email: ');
    terminal.type(EMAIL + ENTER);
    await terminal.shows('Password: ');
    terminal.type(CTRL_D);
    const { out } = await terminal.ended();
    expect(out).toContain('\ndhara: No answer: the input has ended.');
    expect(out).toContain('exit code 2');
    expectSane(out);
  });
});

/** Nothing of the password is shown, however it was written to the terminal. */
function expectHidden(shown: string): void {
  for (const word of [...PASSWORD.split(' '), TYPO]) expect(shown).not.toContain(word);
}
