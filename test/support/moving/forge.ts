import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';

import { TarReader, TarWriter } from '../../../src/adapters/archive/tarArchive.js';
import {
  ENTRIES_PER_PAGE,
  HEADER,
  pageName,
  pageText,
  sha256Of,
} from '../../../src/domain/operations/moving/archiveFormat.js';
import type { ExportKey } from '../../../src/domain/operations/moving/exportKey.js';
import { inChunks } from './side.js';

export interface File {
  readonly path: string;
  readonly bytes: Buffer;
}

/** The files of an archive, in order. */
export async function filesOf(archive: Buffer): Promise<File[]> {
  const files: File[] = [];
  for await (const { path, body } of new TarReader(inChunks(archive)).entries()) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    files.push({ path, bytes: Buffer.concat(chunks) });
  }
  return files;
}

export async function tarOf(files: readonly File[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const output = new Writable({ write: (chunk: Buffer, _encoding, done) => (chunks.push(chunk), done()) });
  const tar = new TarWriter(output);
  for (const { path, bytes } of files) {
    async function* body() {
      yield bytes;
    }
    await tar.add({ path, sizeBytes: bytes.length, body: body() });
  }
  await tar.end();
  return Buffer.concat(chunks);
}

/** What a service with this key would have signed, had it exported these files: header first, without signatures. */
export async function signedTar(files: readonly File[], key: ExportKey): Promise<Buffer> {
  const [header, ...rest] = files.filter(({ path }) => !path.startsWith('manifest/') && path !== 'dhara.sig');
  if (header?.path !== HEADER) throw new Error('an archive begins with its header');
  const { archiveId } = JSON.parse(header.bytes.toString()) as { archiveId: string };
  const all: File[] = [header, { path: 'dhara.sig', bytes: key.sign('header', header.bytes) }];
  let previous = '';
  for (let at = 0, number = 1; at < rest.length || number === 1; at += ENTRIES_PER_PAGE, number += 1) {
    const some = rest.slice(at, at + ENTRIES_PER_PAGE);
    const entries = some.map(({ path, bytes }) => ({
      path,
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    }));
    const isLast = at + ENTRIES_PER_PAGE >= rest.length;
    const bytes = pageText({ archiveId, number, previous, entries, isLast });
    all.push(...some, { path: `${pageName(number)}.ndjson`, bytes });
    all.push({ path: `${pageName(number)}.sig`, bytes: key.sign('manifest', bytes) });
    previous = sha256Of(bytes);
  }
  return tarOf(all);
}

/** With the body of the file with this path changed. */
export function changed(files: readonly File[], path: string | RegExp, change: (bytes: Buffer) => Buffer): File[] {
  let found = false;
  const result = files.map((file) => {
    const isIt = !found && (typeof path === 'string' ? file.path === path : path.test(file.path));
    if (!isIt) return file;
    found = true;
    return { path: file.path, bytes: change(file.bytes) };
  });
  if (!found) throw new Error(`no file is ${String(path)}`);
  return result;
}

/** A tar header that announces `sizeBytes`, whatever follows. */
export function headerBlock(path: string, sizeBytes: number, type = '0'): Buffer {
  const block = Buffer.alloc(512);
  // A long name is split at a slash: its end, and what precedes it.
  const at = path.length > 100 ? path.indexOf('/', path.length - 101) : -1;
  block.write(path.slice(at + 1), 0, 100);
  block.write(path.slice(0, Math.max(0, at)), 345, 155);
  block.write('000600 \0', 100);
  block.write('000000 \0', 108);
  block.write('000000 \0', 116);
  if (sizeBytes < 8 ** 11) block.write(`${sizeBytes.toString(8).padStart(11, '0')} `, 124);
  else {
    block.writeUInt8(0x80, 124);
    block.writeBigUInt64BE(BigInt(sizeBytes), 128);
  }
  block.write('00000000000 ', 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
