/** `npm run emails -- <folder>`: writes one email of each kind as HTML and as text, to look at while working on them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { writeSample, KINDS } from './samples.js';

const folder = resolve(process.argv[2] ?? '.data/emails');
await mkdir(folder, { recursive: true });
for (const kind of KINDS) {
  const { subject, text, html } = writeSample(kind);
  await writeFile(join(folder, `${kind}.html`), html);
  await writeFile(join(folder, `${kind}.txt`), `Subject: ${subject}\n\n${text}`);
}
const links = KINDS.map((kind) => `<li><a href="${kind}.html">${kind}</a> (<a href="${kind}.txt">text</a>)</li>`);
await writeFile(join(folder, 'index.html'), `<!doctype html><title>Emails</title><ul>${links.join('')}</ul>`);
process.stdout.write(`${KINDS.length} emails in ${folder}\n`);
