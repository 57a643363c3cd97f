import { gzipSync } from 'node:zlib';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { ExportKey } from '../../../src/domain/operations/moving/exportKey.js';
import { changed, type File, filesOf, headerBlock, signedTar, tarOf } from '../../support/moving/forge.js';
import { addVideo } from '../../support/moving/library.js';
import { inChunks, NOTHING, Side } from '../../support/moving/side.js';

let from: Side;
let to: Side;
let accountId: string;
let videoId: string;
let archive: Buffer;
let files: File[];

beforeAll(async () => {
  [from, to] = await Promise.all([Side.open('https://old.example'), Side.open('https://new.example')]);
  accountId = await from.account();
  videoId = await addVideo(from, accountId, { status: 'ready', title: 'One', renditions: ['480p'] });
  await from.keys.create(accountId, { name: 'Key' });
  ({ bytes: archive } = await from.export(accountId, null));
  files = await filesOf(archive);
});

// Whatever an archive was, nothing of it is left.
afterEach(async () => expect(await to.leftovers(accountId)).toEqual(NOTHING));

afterAll(async () => {
  await from?.close();
  await to?.close();
});

const refused = (bytes: Buffer | AsyncIterable<Uint8Array>) =>
  to.import(bytes, from, null).then(
    () => 'imported',
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  );
const without = (path: RegExp) => files.filter((file) => !path.test(file.path));
/** One bit in the middle. */
const flipped = (bytes: Buffer) => {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(copy.length >> 1) ^ 1, copy.length >> 1);
  return copy;
};
const signed = (some: readonly File[]) => signedTar(some, from.key);
/** With one value of the first row of a table changed, and signed by the service that is trusted. */
const withRow = (table: string, change: (row: Record<string, unknown>) => void) =>
  signed(
    changed(files, `rows/${table}/000001.ndjson`, (bytes) => {
      const [first, ...others] = bytes.toString().split('\n');
      const row = JSON.parse(first!) as Record<string, unknown>;
      change(row);
      return Buffer.from([JSON.stringify(row), ...others].join('\n'));
    }),
  );

describe('an archive that somebody changed', () => {
  it.each([
    ['a file', /^objects\/.*m4s$/, 'ARCHIVE_DAMAGED'],
    ['a row', /^rows\/video/, 'ARCHIVE_DAMAGED'],
    ['a statement', /^statements/, 'ARCHIVE_DAMAGED'],
    ['a page of the manifest', /^manifest\/.*ndjson$/, 'ARCHIVE_UNTRUSTED'],
    ['the signature of a page', /^manifest\/.*sig$/, 'ARCHIVE_UNTRUSTED'],
    ['the signature of the header', /^dhara\.sig$/, 'ARCHIVE_UNTRUSTED'],
  ])('is refused for one bit of %s', async (_, path, code) => {
    const said = await refused(await tarOf(changed(files, path, flipped)));
    expect(said).toContain(code);
    const { path: name } = files.find((file) => path.test(file.path))!;
    if (code === 'ARCHIVE_DAMAGED') expect(said).toContain(name);
  });

  it.each([
    [
      'another account',
      (text: string) =>
        text.replace(
          accountId,
          accountId.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
        ),
    ],
    ['another service', (text: string) => text.replace('old.example', 'bad.example')],
  ])('is refused for a header that names %s', async (_, change) => {
    const bytes = await tarOf(changed(files, 'dhara.json', (header) => Buffer.from(change(header.toString()))));
    expect(await refused(bytes)).toContain('ARCHIVE_UNTRUSTED');
  });

  it('is refused if a file was left out, added, or moved', async () => {
    const segment = files.find(({ path }) => path.endsWith('.m4s'))!;
    const page = files.findIndex(({ path }) => path.startsWith('manifest/'));
    const added = { path: segment.path.replace('00000', '00001'), bytes: segment.bytes };
    expect(await refused(await tarOf(without(/m4s$/)))).toContain('ARCHIVE_DAMAGED');
    expect(await refused(await tarOf([...files.slice(0, page), added, ...files.slice(page)]))).toContain(
      'ARCHIVE_DAMAGED',
    );
    expect(await refused(await tarOf([...files, added]))).toContain('ARCHIVE_REFUSED');
  });

  it('is refused if its pages are another archive’s', async () => {
    const other = await filesOf((await from.export(accountId, null)).bytes);
    const pages = other.filter(({ path }) => path.startsWith('manifest/'));
    const said = await refused(await tarOf([...without(/^manifest/), ...pages]));
    expect(said).toContain('ARCHIVE_DAMAGED');
  });

  it('is refused if another key signed it, even if it names the trusted one', async () => {
    const stranger = new ExportKey(Buffer.alloc(32, 7));
    expect(await refused(await signedTar(files, stranger))).toContain('ARCHIVE_UNTRUSTED');
    const named = changed(files, 'dhara.json', (header) =>
      Buffer.from(header.toString().replace(from.key.publicKey, stranger.publicKey)),
    );
    expect(await refused(await signedTar(named, stranger))).toContain(`you trust ${from.key.publicKey}`);
  });
});

describe('what is no whole archive', () => {
  it('is refused wherever it is cut off', async () => {
    const ends = [
      1,
      511,
      512,
      1500,
      ...Array.from({ length: 24 }, (_, n) => Math.floor((archive.length * (n + 1)) / 26)),
    ];
    for (const end of [...ends, archive.length - 1536]) {
      expect(await refused(archive.subarray(0, end)), String(end)).toMatch(/^ARCHIVE_UNREADABLE/);
    }
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(4096)],
    ['noise', Buffer.alloc(4096, 'x')],
    ['a short text', Buffer.from('hello')],
    ['other JSON', Buffer.from('{"format":"other"}')],
  ])('is refused: %s', async (_, bytes) => expect(await refused(bytes)).toMatch(/^ARCHIVE_UNREADABLE/));

  it('is refused if it is compressed', async () =>
    expect(await refused(gzipSync(archive))).toMatch(/^ARCHIVE_UNREADABLE/));

  it('is refused if its version is unknown', async () => {
    const later = changed(files, 'dhara.json', (header) =>
      Buffer.from(header.toString().replace('"version": 1', '"version": 2')),
    );
    expect(await refused(await signed(later))).toMatch(/^ARCHIVE_VERSION: .*version 2/);
  });
});

describe('an archive that a trusted service signed', () => {
  const file = (path: string, bytes = Buffer.from('x')): File => ({ path, bytes });
  const other = '0198c0de-0000-7000-8000-000000000001';

  it.each([
    ['objects/../../etc/passwd'],
    ['objects/videos/ACCOUNT/../x/y'],
    ['objects/videos/ACCOUNT/VIDEO/1-1/../../x'],
    ['objects//etc/passwd'],
    [`objects/videos/${other}/VIDEO/1-1/x`],
    ['objects/videos/ACCOUNT/VIDEO'],
    ['objects/other/ACCOUNT/VIDEO/x'],
    ['objects/videos/ACCOUNT/VIDEO/.hidden'],
    ['../outside'],
    ['/etc/passwd'],
    ['rows/ledger_tx/000001.ndjson'],
    ['rows/account/000002.ndjson'],
    ['statements/../x.csv'],
  ])('is refused for an entry at %s', async (template) => {
    const path = template.replace('ACCOUNT', accountId).replace('VIDEO', videoId);
    expect(await refused(await signed([...files, file(path)]))).toMatch(/^ARCHIVE_REFUSED/);
  });

  it.each([
    ['symlink', '2'],
    ['link', '1'],
    ['directory', '5'],
    ['character-device', '3'],
    ['fifo', '6'],
  ])('is refused for a %s', async (_, type) => {
    const tail = Buffer.concat([headerBlock('objects/x', 0, type), Buffer.alloc(1024)]);
    const end = archive.length - 1024;
    expect(await refused(Buffer.concat([archive.subarray(0, end), tail]))).toMatch(
      /^ARCHIVE_REFUSED: The archive contains a/,
    );
  });

  it('is refused for sizes that nothing could hold, without reading them', async () => {
    const path = `objects/videos/${accountId}/${videoId}/1-1/480p/x.m4s`;
    const start = await tarOf(files.slice(0, 2));
    const beginning = start.subarray(0, start.length - 1024);
    for (const [name, size, code] of [
      [path, 2 ** 50, 'STORE_FULL'],
      ['rows/video/000001.ndjson', 2 ** 33, 'ARCHIVE_REFUSED'],
      ['manifest/000001.ndjson', 2 ** 33, 'ARCHIVE_REFUSED'],
    ] as const) {
      let sent = 0;
      async function* endless() {
        yield* inChunks(Buffer.concat([beginning, headerBlock(name, size)]));
        for (; sent < 1e9; sent += 65_536) yield Buffer.alloc(65_536);
      }
      expect(await refused(endless()), name).toMatch(new RegExp(`^${code}`));
      expect(sent).toBeLessThan(5e6);
    }
  });

  it('is refused for long names that never end', async () => {
    let sent = 0;
    async function* endless() {
      yield headerBlock('pax', 2 ** 33, 'x');
      for (; sent < 1e9; sent += 65_536) yield Buffer.alloc(65_536, '1');
    }
    expect(await refused(endless())).toMatch(/^ARCHIVE_UNREADABLE/);
    expect(sent).toBeLessThan(5e6);
  });

  it('is refused for lines that are too long or no rows', async () => {
    for (const bytes of [
      Buffer.from('[]\n'),
      Buffer.from('{"id":\n'),
      Buffer.from('{}'),
      Buffer.from('{"id":"\\u0000"}\n'),
      Buffer.from('\n'),
    ]) {
      const said = await refused(await signed(changed(files, 'rows/video/000001.ndjson', () => bytes)));
      expect(said, bytes.toString()).toMatch(/^ARCHIVE_REFUSED/);
    }
    const long = Buffer.concat([Buffer.from('{"id":"'), Buffer.alloc(17 * 1024 * 1024, 'a'), Buffer.from('"}\n')]);
    expect(await refused(await signed(changed(files, 'rows/video/000001.ndjson', () => long)))).toMatch(
      /^ARCHIVE_REFUSED/,
    );
  });

  it('is refused for rows that name files of another account', async () => {
    for (const [table, column] of [
      ['video', 'source_key'],
      ['video', 'poster_key'],
      ['video', 'pictures_prefix'],
      ['rendition', 'prefix'],
      ['stored_object', 'key'],
    ] as const) {
      for (const place of [
        `videos/${other}/${videoId}/1-1/`,
        `videos/${accountId}/${other}/1-1/`,
        `videos/${accountId}/${videoId}/../../x`,
      ]) {
        const said = await refused(await withRow(table, (row) => (row[column] = place)));
        expect(said, `${table}.${column}`).toMatch(/^ARCHIVE_REFUSED: A row names/);
      }
    }
  });

  it('is refused for a balance that is none', async () => {
    for (const balance of ['-5', '1.5', '1e3', '', '9'.repeat(19), 5]) {
      expect(await refused(await withRow('account', (row) => (row['balanceMicros'] = balance)))).toMatch(
        /^ARCHIVE_REFUSED/,
      );
    }
  });

  it('never takes an account from a row', async () => {
    const bytes = await withRow('video', (row) => (row['account_id'] = other));
    const target = await Side.open('https://third.example');
    try {
      await target.import(bytes, from, null);
      expect(await target.query('select account_id from video')).toEqual([{ account_id: accountId }]);
    } finally {
      await target.close();
    }
  });

  it('is refused for an API key or an email address that exists, and overwrites no file', async () => {
    const { record } = await to.keys.create(await to.account('taken@example.com'), { name: 'Mine' });
    const [{ hash }] = (await to.query<{ hash: string }>(
      `select hash::text from api_key where id = $1`,
      record.id,
    )) as [{ hash: string }];
    expect(await refused(await withRow('api_key', (row) => (row['hash'] = hash)))).toMatch(/^TAKEN: A api_key/);
    for (const email of ['taken@example.com', 'Taken@Example.com']) {
      expect(await refused(await withRow('account', (row) => (row['email'] = email)))).toMatch(/^TAKEN/);
    }
    const key = `sources/${accountId}/${videoId}/upload`;
    await to.put(key, 'somebody else’s');
    expect(await refused(archive)).toMatch(/^TAKEN: The store has another file/);
    expect(await to.objects(accountId)).toEqual({ [key]: Buffer.from('somebody else’s').toString('base64') });
    await to.store.delete(key);
  });
});
