import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FfmpegLogoTools } from '../../../src/adapters/transcode/pictures/ffmpegLogoTools.js';
import { mediaFolder } from '../../support/media.js';
import { chunk, normalise, picture, pixelsOf, still, svg } from '../../support/branding/logos.js';

describe('a logo', () => {
  test('keeps the size, colors and transparency of a PNG, and nothing else of the file', async () => {
    const half = "color=s=60x40,format=rgba,geq=r=255:g=128:b=0:a='if(lt(X,30),128,0)'";
    const bytes = await picture(half, 'logo.png', '-frames:v', '1', '-metadata', 'Comment=secret place');
    const secret = Buffer.concat([
      bytes.subarray(0, 33),
      chunk('tEXt', Buffer.from('Where\0at home')),
      bytes.subarray(33),
      Buffer.from('<script>'),
    ]);
    const logo = await normalise(secret);
    expect(logo).toMatchObject({ width: 60, height: 40 });
    const at = await pixelsOf(logo);
    expect(at(10, 10)).toEqual([255, 128, 0, 128]);
    expect(at(50, 10)[3]).toBe(0);
    const text = Buffer.from(logo.png).toString('latin1');
    for (const word of ['secret', 'at home', '<script', 'Lavc']) expect(text).not.toContain(word);
  });

  test('is scaled down if it is large, never scaled up, and fits even if it is noise', async () => {
    expect(await normalise(await still('testsrc2=s=3000x1500'))).toMatchObject({ width: 1024, height: 512 });
    expect(await normalise(await still('color=red:s=8x8'))).toMatchObject({ width: 8, height: 8 });
    expect(await normalise(await still('color=red:s=8000x8'))).toMatchObject({ width: 1024, height: 1 });
    const noise = await normalise(await still('color=gray:s=1024x1024,format=rgba,noise=alls=100:allf=t'));
    expect(noise).toMatchObject({ width: 512, height: 512 });
    expect(noise.png.length).toBeLessThan(1_500_000);
  });

  test('can be made from grey, indexed, interlaced and 16-bit pictures', async () => {
    for (const format of ['gray', 'pal8', 'monob', 'rgba64be', 'ya8', 'rgb24']) {
      expect(await normalise(await still(`testsrc=s=64x32,format=${format}`)), format).toMatchObject({ width: 64 });
    }
  });

  test('is the first picture of an animation', async () => {
    const bytes = await picture('color=red:s=32x32:d=0.4:r=5', 'logo.apng', '-plays', '0');
    const [red, green, , alpha] = (await pixelsOf(await normalise(bytes)))(9, 9);
    expect(red).toBeGreaterThan(250);
    expect([green, alpha]).toEqual([0, 255]);
  });

  test('is rendered sharply from an SVG of any size, with its transparency', async () => {
    const drawing = svg('<rect width="20" height="20" fill="#ff0000" fill-opacity="0.5"/>');
    const logo = await normalise(drawing);
    expect(logo).toMatchObject({ width: 1024, height: 512 });
    const at = await pixelsOf(logo);
    expect(at(100, 100)[0]).toBeGreaterThan(250);
    expect(Math.abs(at(100, 100)[3]! - 128)).toBeLessThan(3);
    expect(at(900, 100)[3]).toBe(0);
    const huge = svg('<rect width="9" height="9"/>', 'width="100000" height="50000" viewBox="0 0 40 20"');
    expect(await normalise(`﻿<?xml version="1.0"?>\n<!-- mine -->\n${huge}`)).toMatchObject({ width: 1024 });
  });

  test('names PNG as the alternative if ffmpeg has no decoder for SVG', async () => {
    await using folder = await mediaFolder();
    await chmod(folder.path, 0o755);
    const old = join(folder.path, 'ffmpeg');
    await writeFile(
      old,
      '#!/bin/sh\nfor a; do shift; [ "$a" = librsvg ] && a=nonesuch; set -- "$@" "$a"; done\nexec /usr/bin/ffmpeg "$@"\n',
      {
        mode: 0o755,
      },
    );
    const older = new FfmpegLogoTools({ ffmpegPath: old, searchPath: process.env['PATH']!, mustConfine: false });
    await expect(normalise(svg('<rect width="9" height="9"/>'), older)).rejects.toMatchObject({
      message: 'SVG cannot be read on this service. Send the logo as PNG.',
    });
    await expect(normalise(await still('color=red:s=8x8'), older)).resolves.toMatchObject({ width: 8 });
  });
});
