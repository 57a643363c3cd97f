import { chmod, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { canaryServer } from '../../support/canary.js';
import { mediaFolder } from '../../support/media.js';
import { normalise, picture, pixelsOf, png, still, svg } from '../../support/branding/logos.js';

describe('a hostile logo is refused with a reason', () => {
  const files: [string, () => Promise<Uint8Array> | Uint8Array, RegExp][] = [
    ['an empty file', () => Buffer.alloc(0), /no PNG or SVG/],
    ['a text', () => Buffer.from('It was a dark and stormy night.'), /no PNG or SVG/],
    ['a web page', () => Buffer.from('<html><body>hello</body></html>'), /no PNG or SVG/],
    ['a playlist', () => Buffer.from('#EXTM3U\n/etc/passwd\n'), /no PNG or SVG/],
    ['a JPEG called PNG', () => still('testsrc=s=64x64', 'logo.jpg'), /JPEG/],
    ['a GIF', () => picture('testsrc=s=64x64:d=0.2', 'logo.gif'), /GIF/],
    ['a WebP', () => still('testsrc=s=64x64', 'logo.webp'), /WebP/],
    ['a video', () => picture('testsrc=s=64x64:d=0.2', 'logo.mp4'), /no PNG or SVG/],
    ['a bomb of 30,000 × 30,000 pixels', () => png(30_000, 30_000, deflateSync(Buffer.alloc(1_000))), /30000 × 30000/],
    ['a bomb of 2³² − 1 lines', () => png(8, 0xffffffff, deflateSync(Buffer.alloc(1_000))), /4294967295/],
    ['a picture that is 20,000 pixels wide', () => png(20_000, 8, deflateSync(Buffer.alloc(1_000))), /20000/],
    ['a picture without pixels', () => png(0, 0, Buffer.alloc(0)), /0 × 0/],
    ['a tracking dot', () => png(1, 1, deflateSync(Buffer.alloc(5))), /1 × 1/],
    ['a signature without a picture', () => Buffer.from('89504e470d0a1a0a', 'hex'), /no PNG or SVG/],
    ['a header without a picture', () => png(64, 64, Buffer.alloc(0)).subarray(0, 33), /damaged/],
    ['a PNG that was cut off', async () => (await still('testsrc2=s=300x200')).subarray(0, 3_000), /damaged/],
    ['a PNG whose middle is damaged', async () => rubbishInside(await still('testsrc2=s=300x200')), /damaged/],
    [
      'an SVG that ends early',
      () => Buffer.from(svg('<rect width="9" height="9"/>').slice(0, -20)),
      /could not be drawn/,
    ],
    ['a billion-laughs SVG', () => Buffer.from(laughs()), /could not be drawn|too much/],
    ['an SVG that takes endless work', () => Buffer.from(svg(endlessWork())), /could not be drawn|too much/],
  ];
  test.each(files)('if it is %s', async (_, make, message) => {
    await expect(normalise(await make())).rejects.toMatchObject({
      name: 'UnusableLogoError',
      message: expect.stringMatching(message) as string,
    });
  });

  test('a small file that unpacks to 4096 × 4096 is processed within its limits', async () => {
    const bomb = png(4096, 4096, deflateSync(Buffer.alloc(4096 * (4096 * 4 + 1))));
    expect(bomb.length).toBeLessThan(100_000);
    expect(await normalise(bomb)).toMatchObject({ width: 1024, height: 1024 });
  });
});

describe('an SVG opens no file and no address', () => {
  const isMagenta = ([red = 0, green = 0, blue = 0]: number[]) => red > 240 && green < 16 && blue > 240;
  const attempts: [string, (canary: { file: string; url: string }) => string][] = [
    ['an image of a file', ({ file }) => svg(`<image width="40" height="20" href="file://${file}"/>`)],
    ['an image of a path', ({ file }) => svg(`<image width="40" height="20" xlink:href="${file}"/>`)],
    ['an image in the same folder', () => svg('<image width="40" height="20" xlink:href="canary.png"/>')],
    ['an image over HTTP', ({ url }) => svg(`<image width="40" height="20" xlink:href="${url}/canary.png"/>`)],
    ['a use of another document', ({ url }) => svg(`<use href="${url}/canary.svg#a"/>`)],
    [
      'a style sheet',
      ({ url }) =>
        `<?xml version="1.0"?><?xml-stylesheet href="${url}/canary.css"?>${svg('<rect width="9" height="9"/>')}`,
    ],
    [
      'an import in a style',
      ({ url, file }) =>
        svg(
          `<style>@import url("${url}/canary.css"); @import "file://${file}"; rect{fill:url(${url}/x)}</style><rect width="9" height="9"/>`,
        ),
    ],
    [
      'a font',
      ({ url }) =>
        svg(`<style>@font-face{font-family:x;src:url(${url}/canary.woff)}</style><text font-family="x" y="9">a</text>`),
    ],
    [
      'a script',
      ({ url }) =>
        svg(`<script>fetch("${url}/script")</script><rect onload="fetch('${url}/onload')" width="9" height="9"/>`),
    ],
    [
      'an entity of a file',
      ({ file }) => `<!DOCTYPE svg [<!ENTITY x SYSTEM "file://${file}">]>${svg('<text y="9">&x;</text>')}`,
    ],
    [
      'an entity over HTTP',
      ({ url }) =>
        `<!DOCTYPE svg [<!ENTITY % x SYSTEM "${url}/canary.dtd"> %x;]>${svg('<rect width="9" height="9"/>')}`,
    ],
    ['a DTD', ({ url }) => `<!DOCTYPE svg SYSTEM "${url}/canary.dtd">${svg('<rect width="9" height="9"/>')}`],
    [
      'an XInclude',
      ({ file }) => svg(`<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file://${file}" parse="text"/>`),
    ],
    [
      'a filter with an image',
      ({ file }) =>
        svg(`<filter id="f"><feImage href="file://${file}"/></filter><rect filter="url(#f)" width="40" height="20"/>`),
    ],
    [
      'a page in a foreignObject',
      ({ url }) =>
        svg(
          `<foreignObject width="40" height="20"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${url}/page"/></foreignObject>`,
        ),
    ],
  ];
  test.each(attempts)('through %s', async (_, make) => {
    await using folder = await mediaFolder();
    await chmod(folder.path, 0o755);
    await using server = await canaryServer();
    const file = join(folder.path, 'canary.png');
    await writeFile(file, await still('color=0xff00ff:s=40x20'));
    const before = new Date(2020, 1, 1);
    await utimes(file, before, new Date());
    // It may be refused, or drawn without the canary.
    const logo = await normalise(make({ file, url: server.url })).catch((error: unknown) => {
      expect(error).toMatchObject({ name: 'UnusableLogoError' });
      return null;
    });
    expect(server.calls()).toBe(0);
    expect((await stat(file)).atime).toEqual(before);
    if (logo) {
      const at = await pixelsOf(logo);
      for (let x = 0; x < logo.width; x += 16) expect(isMagenta(at(x, 100))).toBe(false);
    }
    expect(await readdir(folder.path)).toEqual(['canary.png']);
  });

  test('the canary would be visible if it were read', async () => {
    await using folder = await mediaFolder();
    const file = join(folder.path, 'canary.png');
    await writeFile(file, await still('color=0xff00ff:s=40x20'));
    const before = new Date(2020, 1, 1);
    await utimes(file, before, new Date());
    await readFile(file);
    expect((await stat(file)).atime).not.toEqual(before);
    const inline = `data:image/png;base64,${(await readFile(file)).toString('base64')}`;
    const logo = await normalise(svg(`<image width="40" height="20" href="${inline}"/>`));
    expect(isMagenta((await pixelsOf(logo))(512, 256))).toBe(true);
  });
});

function rubbishInside(bytes: Buffer): Buffer {
  const middle = Math.floor(bytes.length / 2);
  return Buffer.concat([bytes.subarray(0, middle), Buffer.alloc(200, 0x55), bytes.subarray(middle + 200)]);
}

function laughs(): string {
  const names = 'abcdefghij'.split('');
  const entities = names.map((name, i) => `<!ENTITY ${name} "${i === 0 ? 'ha' : `&${names[i - 1]};`.repeat(30)}">`);
  return `<!DOCTYPE svg [${entities.join('')}]>${svg('<text y="9">&j;</text>')}`;
}

/** Each use draws the one before many times over. */
function endlessWork(): string {
  const groups = Array.from({ length: 12 }, (_, i) => {
    const inner = i === 0 ? '<rect width="40" height="20" filter="url(#f)"/>' : `<use href="#g${i - 1}"/>`.repeat(20);
    return `<g id="g${i}">${inner}</g>`;
  });
  const filter = '<filter id="f"><feGaussianBlur stdDeviation="30"/><feTurbulence numOctaves="9"/></filter>';
  return `<defs>${filter}${groups.join('')}</defs><use href="#g11"/>`;
}
