import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { pino } from 'pino';
import { expect, it } from 'vitest';

import { passwordResetMail, verificationMail } from '../../../src/adapters/identity/mails.js';
import { FolderMailer } from '../../../src/adapters/mail/folder.js';
import { SmtpMailer } from '../../../src/adapters/mail/smtp.js';

const FROM = 'Dhara <no-reply@example.com>';
const LINK = `https://video.example.com/api/auth/verify-email?token=${'a1.b2'.repeat(40)}&callbackURL=%2F`;
const MAIL = verificationMail({ name: 'Ada', email: 'ada@example.com' }, LINK);

it('the folder mailer writes an email into the folder, and its link into the log', async () => {
  const home = await mkdtemp(join(tmpdir(), 'dhara-mail-'));
  const folder = join(home, 'mail');
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  try {
    await new FolderMailer({ folder, from: FROM, logger }).send(MAIL);

    const files = await readdir(folder);
    expect(files).toEqual([expect.stringMatching(/\.txt$/)]);
    const text = await readFile(join(folder, files[0]!), 'utf8');
    expect(text).toContain('To: ada@example.com\n');
    expect(text).toContain(`\n${LINK}\n`);
    expect((await stat(folder)).mode & 0o077).toBe(0);
    expect(lines.map((line) => (JSON.parse(line) as { link: string }).link)).toEqual([LINK]);
  } finally {
    await rm(home, { recursive: true });
  }
});

it('the SMTP mailer sends an email to a mail server', async () => {
  const server = await smtpServer();
  const mailer = new SmtpMailer({ url: `smtp://127.0.0.1:${server.port}`, from: FROM });
  try {
    await mailer.send(MAIL);
    const [message = ''] = server.messages;
    expect(message).toMatch(/^From: Dhara <no-reply@example.com>$/m);
    expect(message).toMatch(/^To: ada@example.com$/m);
    const unfolded = message.replaceAll(/^\.\./gm, '.').replaceAll('=\r\n', '').replaceAll('=3D', '=');
    expect(unfolded).toContain(LINK);
  } finally {
    mailer.close();
    await server.close();
  }
});

it('the SMTP mailer fails if the mail server refuses', async () => {
  const server = await smtpServer('554 go away');
  const mailer = new SmtpMailer({ url: `smtp://127.0.0.1:${server.port}`, from: FROM });
  try {
    await expect(mailer.send(MAIL)).rejects.toThrow();
  } finally {
    mailer.close();
    await server.close();
  }
});

it('an email shows no link from the name of a stranger', () => {
  const mail = passwordResetMail({ name: 'Win now at https://evil.example/x\n\n!', email: 'a@example.com' }, LINK);
  expect(mail.text.match(/https?:\/\/\S+/g)).toEqual([LINK]);
  expect(mail.text.split('\n')[0]).not.toMatch(/evil\.example/);
});

/** The part of an SMTP server that receives an email. */
async function smtpServer(greeting = '220 ready') {
  const messages: string[] = [];
  const server = createServer((socket) => {
    let data = '';
    let inMessage = false;
    socket.on('error', () => {});
    socket.write(`${greeting}\r\n`);
    socket.on('data', (chunk) => {
      data += chunk.toString();
      for (;;) {
        const end = data.indexOf(inMessage ? '\r\n.\r\n' : '\r\n');
        if (end === -1) return;
        const part = data.slice(0, end);
        data = data.slice(end + (inMessage ? 5 : 2));
        if (inMessage) messages.push(part);
        const starts = !inMessage && part === 'DATA';
        inMessage = starts;
        socket.write(starts ? '354 go on\r\n' : '250 fine\r\n');
        if (part === 'QUIT') socket.end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    messages,
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
