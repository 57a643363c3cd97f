import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { ffmpeg, ffprobe, mediaFolder } from '../../support/media.js';
import { DeliveryRig } from './rig.js';

const rig = await DeliveryRig.ofFile();

describe('a player', () => {
  it('finds picture and audio from the address of the master playlist alone', async () => {
    const video = await rig.published();
    await using folder = await mediaFolder();
    for (const [rendition, ...input] of [
      ['480p', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=6', '-c:v', 'libx264', '-g', '50'],
      ['audio', '-f', 'lavfi', '-i', 'sine=duration=6', '-c:a', 'aac'],
    ] as const) {
      const out = join(folder.path, rendition);
      await ffmpegHls(out, input);
      for (const name of await readdir(out))
        await rig.store.putFile(`${video.prefix}${rendition}/${name}`, join(out, name));
    }
    const master = `http://127.0.0.1:${rig.port}${rig.base(video)}/master.m3u8`;

    const streams = await ffprobe('-show_entries', 'stream=codec_name,width', '-of', 'csv=p=0', master);
    expect(streams).toContain('h264,320');
    expect(streams).toContain('aac');
    // Reads every packet of the picture through playlists, init segment and segments.
    const packets = await ffprobe(
      '-count_packets',
      '-select_streams',
      'v:0',
      '-show_entries',
      'stream=nb_read_packets',
      '-of',
      'csv=p=0',
      master,
    );
    expect(packets).toContain('150');
  });
});

describe('while the database is away', () => {
  it('segments keep playing, and playlists return 503 with Retry-After', async () => {
    const video = await rig.published();
    const base = rig.base(video);
    rig.way.cut();
    try {
      expect((await rig.send(`${base}/1-2/480p/seg_00000.m4s`)).status).toBe(200);
      for (const file of ['master.m3u8', '1-2/480p/index.m3u8']) {
        const answer = await rig.send(`${base}/${file}`);
        expect(answer.status).toBe(503);
        expect(answer.headers['retry-after']).toBe('2');
        expect(answer.headers['access-control-allow-origin']).toBe('*');
        expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
      }
    } finally {
      rig.way.mend();
    }
    expect((await rig.send(`${base}/master.m3u8`)).status).toBe(200);
  });
});

async function ffmpegHls(out: string, input: readonly string[]): Promise<void> {
  await mkdir(out, { recursive: true });
  const hls = ['-f', 'hls', '-hls_time', '2', '-hls_playlist_type', 'vod', '-hls_segment_type', 'fmp4'];
  const names = ['-hls_fmp4_init_filename', 'init.mp4', '-hls_segment_filename', join(out, 'seg_%05d.m4s')];
  await ffmpeg(...input, ...hls, ...names, join(out, 'index.m3u8'));
}
