import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { Parser } from 'm3u8-parser';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { S3Links } from '../../../src/adapters/store/s3Links.js';
import { LinkedPlaylists, type GrantedRendition } from '../../../src/api/delivery/linkedPlaylists.js';
import { encryptedPlaylist } from '../../../src/domain/media/keys/encryptedPlaylist.js';
import { RunKeys } from '../../../src/domain/media/keys/mediaKeys.service.js';
import { encryptedSize, segmentCipher } from '../../../src/domain/media/keys/segmentCipher.js';

const CLEAR = `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:4
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-MAP:URI="init.mp4"
#EXTINF:4.000000,
seg_00000.m4s
#EXTINF:4.000000,
seg_00001.m4s
#EXTINF:1.500000,
seg_00002.m4s
#EXT-X-ENDLIST
`;
const keys = new RunKeys([Buffer.alloc(16, 1), Buffer.alloc(16, 2)], 2);
const seals = [0, 1, 2].map((index) => keys.sealOf(index));
const ENCRYPTED = encryptedPlaylist(CLEAR, seals);

let dir: string;
let store: DiskObjectStore;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dhara-playlist-'));
  store = await DiskObjectStore.open({ dir });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

it('an encrypted playlist adds the key and vector of each segment after the init segment, and nothing else', () => {
  expect(
    ENCRYPTED.split('\n')
      .filter((line) => !line.startsWith('#EXT-X-KEY'))
      .join('\n'),
  ).toBe(CLEAR);
  const parser = new Parser();
  parser.push(ENCRYPTED);
  parser.end();
  const { segments } = parser.manifest as {
    segments: {
      uri: string;
      key: { method: string; uri: string; iv: Uint32Array };
      map: { uri: string; key?: object };
    }[];
  };
  expect(segments.map(({ uri, key }) => [uri, key.method, key.uri])).toEqual([
    ['seg_00000.m4s', 'AES-128', '../key/0'],
    ['seg_00001.m4s', 'AES-128', '../key/0'],
    ['seg_00002.m4s', 'AES-128', '../key/1'],
  ]);
  for (const [index, { key, map }] of segments.entries()) {
    const words = [0, 4, 8, 12].map((at) => seals[index]!.iv.readUInt32BE(at));
    expect([...key.iv]).toEqual(words);
    expect(map.key).toBeUndefined();
  }
});

it('a playlist with more or fewer segments than were encrypted is refused', () => {
  expect(() => encryptedPlaylist(CLEAR, seals.slice(1))).toThrow('not encrypted');
  expect(() => encryptedPlaylist(CLEAR, [...seals, keys.sealOf(3)])).toThrow('4 segments were encrypted');
  expect(() => keys.sealOf(4)).toThrow('no key');
});

it('keys come from the service, wherever segments come from', async () => {
  const rendition: GrantedRendition = {
    accountId: '01890000-0000-7000-8000-000000000001',
    videoId: '01890000-0000-7000-8000-000000000002',
    run: '1-1',
    rendition: '480p',
    grant: 'grant',
    video: 'vid_1',
    expiresAt: 2_000_000_000,
  };
  const key = `videos/${rendition.accountId}/${rendition.videoId}/1-1/480p/index.m3u8`;
  await store.put(key, Readable.from([ENCRYPTED]));
  const links = new S3Links({
    bucketUrl: 'https://videos.example/',
    region: 'x',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    prefix: '',
  });
  for (const source of [
    { kind: 'cdn', origin: 'https://cdn.example' },
    { kind: 'presigned', links },
  ] as const) {
    const playlist = (await new LinkedPlaylists(store, source).playlist(key, rendition, 1_999_990_000))!;
    const lines = playlist.split('\n');
    const origin = source.kind === 'cdn' ? 'https://cdn.example/' : 'https://videos.example/';
    expect(lines.filter((line) => line.startsWith(origin))).toHaveLength(3);
    expect(playlist).toContain(`#EXT-X-MAP:URI="${origin}`);
    expect(lines.filter((line) => line.startsWith('#EXT-X-KEY'))).toEqual(
      ENCRYPTED.split('\n').filter((line) => line.startsWith('#EXT-X-KEY')),
    );
  }
});

it.each([0, 1, 15, 16, 17, 100_000])('%i clear bytes become whole blocks, with padding', async (size) => {
  const encrypted = await Readable.from([Buffer.alloc(size)])
    .pipe(segmentCipher(seals[0]!))
    .toArray();
  expect(Buffer.concat(encrypted as Buffer[])).toHaveLength(encryptedSize(size));
});
