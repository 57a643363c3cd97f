import { box } from '../boxes.js';
import type { Canaries } from '../canaries.js';
import type { HostileFile } from './hostileFile.js';

/** Texts that ffmpeg, without restrictions, would treat as a video at another place. */
const TEXTS: Record<string, (canaries: Canaries) => string> = {
  'an HLS playlist of an address': ({ url }) => hls(url),
  'an HLS playlist of a file': ({ file }) => hls(file),
  'an HLS playlist of a file by its address': ({ file }) => hls(`file://${file}`),
  'an HLS playlist with a key and a map': ({ url, file }) =>
    hls(file).replace('#EXTINF', `#EXT-X-KEY:METHOD=AES-128,URI="${url}"\n#EXT-X-MAP:URI="${file}"\n#EXTINF`),
  'an HLS master playlist': ({ url }) => `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${url}\n`,
  'a DASH manifest': ({ url }) => dash(url),
  'a DASH manifest with an entity': ({ file, url }) =>
    `<?xml version="1.0"?><!DOCTYPE m [<!ENTITY x SYSTEM "file://${file}">]>${dash(url).replace('<Period>', '<Period>&x;')}`,
  'a concat script': ({ file }) => `ffconcat version 1.0\nfile '${file}'\n`,
  'a session description': () =>
    'v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video 5004 RTP/AVP 33\r\n',
  'a PLS playlist': ({ url }) => `[playlist]\nFile1=${url}\nNumberOfEntries=1\n`,
  'an ASF redirector': ({ url }) => `[Reference]\r\nRef1=${url}?MSWMExt=.asf\r\n`,
  'an ASX playlist': ({ url }) => `<asx version="3.0"><entry><ref href="${url}"/></entry></asx>`,
  'an XSPF playlist': ({ url }) =>
    `<playlist version="1"><trackList><track><location>${url}</location></track></trackList></playlist>`,
  'a SMIL': ({ url }) => `<smil><body><video src="${url}"/></body></smil>`,
  'an IMF composition': ({ url }) =>
    `<?xml version="1.0"?><CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"><Id>${url}</Id></CompositionPlaylist>`,
  'concat:': ({ file }) => `concat:${file}|${file}`,
  'subfile:': ({ file }) => `subfile,,start,0,end,1000,,:${file}`,
  'data:': () => 'data:video/mp2t;base64,R0AAEAAA',
  'an address': ({ url }) => url,
  'a reference in ffmetadata': ({ file }) => `;FFMETADATA1\ntitle=${file}\n`,
  'an SVG with pictures from elsewhere': ({ url, file }) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><image href="${url}"/><image href="file://${file}"/></svg>`,
  'a page': ({ url }) => `<!doctype html><video src="${url}"></video>`,
  'an AviSynth script': ({ file }) => `FFmpegSource2("${file}")\n`,
  'subtitles that name a file': ({ file }) => `1\n00:00:00,000 --> 00:00:01,000\n${file}\n`,
};

/** What precedes the text, to disguise it. */
const COVERS: Record<string, (text: string) => Buffer> = {
  'with the mark of UTF-8 before it': (text) => Buffer.from(`\uFEFF${text}`),
  'as UTF-16': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'behind blanks': (text) => Buffer.from(`\r\n \t\n${text}`),
  'behind an ID3 tag': (text) => Buffer.concat([id3(200), Buffer.from(text)]),
  'in an ID3 tag of a video’s length': (text) => Buffer.concat([id3(2 ** 27), Buffer.from(text)]),
  'in the first box of an MP4': (text) =>
    Buffer.concat([box('ftyp', Buffer.from(text)), box('mdat', Buffer.from(text))]),
  'behind an MP4’s first box': (text) =>
    Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0isom')), Buffer.from(text)]),
  'behind the mark of a Matroska': (text) => Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.from(text)]),
  'behind the head of an AVI': (text) => Buffer.from(`RIFF\x10\x27\0\0AVI ${text}`, 'latin1'),
  'behind the head of a WAV': (text) => Buffer.from(`RIFF\x10\x27\0\0WAVEdata\xff\xff\xff\xff${text}`, 'latin1'),
  'behind the head of an Ogg': (text) => Buffer.from(`OggS\0\x02${text}`, 'latin1'),
  'behind the head of a FLAC': (text) => Buffer.from(`fLaC${text}`, 'latin1'),
  'behind the head of an FLV': (text) => Buffer.from(`FLV\x01\x05\0\0\0\x09\0\0\0\0${text}`, 'latin1'),
  'behind the head of a program stream': (text) => Buffer.from(`\0\0\x01\xba\x44${text}`, 'latin1'),
  'behind the head of an MXF': (text) =>
    Buffer.concat([Buffer.from('060e2b34020501010d0102010102040083000078', 'hex'), Buffer.from(text)]),
  'behind the head of a WMV': (text) =>
    Buffer.concat([Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'), Buffer.from(text)]),
  'behind the head of a GIF': (text) => Buffer.from(`GIF89a\x10\0\x10\0\0\0\0${text}`, 'latin1'),
  'between the marks of a transport stream': (text) => {
    const packets = Buffer.alloc(188 * 8, text);
    for (let at = 0; at < packets.length; at += 188) packets[at] = 0x47;
    return packets;
  },
};

export const DISGUISES: readonly HostileFile[] = [
  ...Object.entries(TEXTS).map(([name, text]) => ({
    name,
    make: ({ canaries }: { canaries: Canaries }) => Buffer.from(text(canaries)),
    ends: 'failed' as const,
  })),
  ...Object.entries(COVERS).map(([name, cover]) => ({
    name: `an HLS playlist ${name}`,
    make: ({ canaries }: { canaries: Canaries }) => cover(hls(canaries.file) + hls(canaries.url)),
    ends: 'failed' as const,
  })),
];

function hls(target: string): string {
  return `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n${target}\n#EXT-X-ENDLIST\n`;
}

function dash(url: string): string {
  return `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT4S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>${url}</BaseURL></Representation></AdaptationSet></Period></MPD>`;
}

function id3(size: number): Buffer {
  const sizes = [21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f);
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, ...sizes]), Buffer.alloc(Math.min(size, 200))]);
}
