import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { pino } from 'pino';
import { expect, it } from 'vitest';

import { FolderMailer } from '../../../src/adapters/mail/folder.js';
import { SmtpMailer } from '../../../src/adapters/mail/smtp.js';
import { writeSample } from '../../support/emails/samples.js';

const FROM = 'Dhara <no-reply@example.com>';
const LINK = `https://video.example.com/api/auth/verify-email?token=${'a1.b2'.repeat(40)}&callbackURL=%2F`;
const EMAIL = {
  to: 'ada@example.com',
  ...writeSample('address.confirm', { link: LINK }),
  messageId: '<one@example.com>',
  headers: { 'List-Unsubscribe': '<https://video.example.com/u>' },
  attachments: [{ fileName: 'receipt.pdf', mediaType: 'application/pdf', content: Buffer.from('%PDF-1.7') }],
};

it('the folder mailer writes an email into the folder, and its link into the log', async () => {
  const home = await mkdtemp(join(tmpdir(), 'dhara-mail-'));
  const folder = join(home, 'mail');
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  try {
    await new FolderMailer({ folder, from: FROM, logger }).send(EMAIL);

    const files = await readdir(folder);
    expect(files.map((name) => name.replace(/^[\da-f-]{36}/, '')).toSorted()).toEqual([
      '-receipt.pdf',
      '.html',
      '.txt',
    ]);
    const text = await readFile(
      join(
        folder,
        files.find((name) => name.endsWith('.txt'))!,
      ),
      'utf8',
    );
    expect(
      await readFile(
        join(
          folder,
          files.find((name) => name.endsWith('.html'))!,
        ),
        'utf8',
      ),
    ).toBe(EMAIL.html);
    expect(text).toContain('List-Unsubscribe: <https://video.example.com/u>\n');
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
    await mailer.send(EMAIL);
    const [message = ''] = server.messages;
    expect(message).toMatch(/^From: Dhara <no-reply@example.com>$/m);
    expect(message).toMatch(/^To: ada@example.com$/m);
    const unfolded = message.replaceAll(/^\.\./gm, '.').replaceAll('=\r\n', '').replaceAll('=3D', '=');
    expect(unfolded).toContain(`\r\n${LINK}\r\n`);
    expect(message).toMatch(/^Message-ID: <one@example.com>$/m);
    expect(message).toMatch(/^List-Unsubscribe: <https:\/\/video.example.com\/u>$/m);
    expect(message.match(/^Content-Type: \S+/gm)).toEqual([
      'Content-Type: multipart/mixed;',
      'Content-Type: multipart/alternative;',
      'Content-Type: text/plain;',
      'Content-Type: text/html;',
      'Content-Type: application/pdf;',
    ]);
  } finally {
    mailer.close();
    await server.close();
  }
});

it('the SMTP mailer fails if the mail server refuses', async () => {
  const server = await smtpServer('554 go away');
  const mailer = new SmtpMailer({ url: `smtp://127.0.0.1:${server.port}`, from: FROM });
  try {
    await expect(mailer.send(EMAIL)).rejects.toThrow();
  } finally {
    mailer.close();
    await server.close();
  }
});

it('the SMTP mailer sends to one recipient, and adds no header from a subject or an address', async () => {
  const server = await smtpServer();
  const mailer = new SmtpMailer({ url: `smtp://127.0.0.1:${server.port}`, from: FROM });
  try {
    const to = 'ada@example.com>, eve@example.com\r\nBcc: <mallory@example.com';
    await mailer.send({ to, subject: 'Hi\r\nBcc: eve@example.com', text: 't' }).catch(() => {});
    await mailer.send({ to: 'ada@example.com', subject: 'Hi\r\nBcc: eve@example.com', text: 't' });
    for (const message of server.messages) expect(message).not.toMatch(/^Bcc:/im);
    expect(server.recipients.filter((line) => /eve|mallory/.test(line) && !line.includes('ada'))).toEqual([]);
  } finally {
    mailer.close();
    await server.close();
  }
});

/** The part of an SMTP server that receives an email. */
async function smtpServer(greeting = '220 ready') {
  const messages: string[] = [];
  const recipients: string[] = [];
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
        if (part.startsWith('RCPT')) recipients.push(part);
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
    recipients,
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
