import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { ffmpeg } from '../media.js';

/** The policy of another site with strict rules: scripts and media of the service, and no styles. */
const strictPolicy = (service: string, own: string): string =>
  [
    "default-src 'none'",
    `script-src ${own} ${service}`,
    `connect-src ${own} ${service}`,
    `img-src ${own} ${service}`,
    `media-src blob: ${own} ${service}`,
    `frame-src ${service}`,
    "style-src 'none'",
    "base-uri 'none'",
  ].join('; ');

const CAPTIONS = (words: string): string =>
  `WEBVTT\n\n00:00.000 --> 00:09.000 line:90%\n${words}\n\n00:09.000 --> 00:19.500\n${words} again\n`;

const CHAPTERS = `WEBVTT

00:00.000 --> 00:05.000
Opening

00:05.000 --> 00:14.000
The middle part

00:14.000 --> 00:20.000
Ending
`;

/** Five pictures of four seconds each, side by side. */
const STORYBOARD = `WEBVTT\n\n${[0, 1, 2, 3, 4]
  .map((n) => `00:${pad(n * 4)}.000 --> 00:${pad(n * 4 + 4)}.000\nsheet.jpg#xywh=${n * 160},0,160,90`)
  .join('\n\n')}\n`;

function pad(number: number): string {
  return String(number).padStart(2, '0');
}

/** A report of a player, as the service gets it. */
export interface SentReport {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    readonly v: number;
    readonly seq: number;
    readonly startupMs: number | null;
    readonly watchedMs: number;
    readonly stalledMs: number;
    readonly stalls: number;
    readonly switches: number;
    readonly ranges: readonly (readonly [number, number])[];
    readonly errors: readonly { readonly code: string; readonly atMs: number }[];
    readonly ended: boolean;
  };
}

/**
 * Another web site, on its own origin. At `/rich` it proxies the service and adds to the real manifest what not
 * every video has: captions, chapters and a storyboard.
 */
export class Site {
  private readonly pages = new Map<string, string>();
  private server!: Server;
  url = '';

  private constructor(
    readonly service: string,
    private readonly folder: string,
  ) {}

  static async start(service: string, folder: string): Promise<Site> {
    const site = new Site(service, folder);
    const picture = 'testsrc2=size=160x90:rate=1:duration=5,tile=5x1';
    await ffmpeg('-f', 'lavfi', '-i', picture, '-frames:v', '1', join(folder, 'sheet.jpg'));
    const hls = ['-f', 'hls', '-hls_playlist_type', 'vod', '-hls_segment_type', 'fmp4', '-hls_time', '9'];
    await ffmpeg('-f', 'lavfi', '-i', 'sine=duration=4', '-c:a', 'aac', ...hls, join(folder, 'sound.m3u8'));
    site.server = createServer((req, res) => {
      site.answer(req, res).catch((error: unknown) => res.writeHead(500).end(String(error)));
    });
    await new Promise<void>((done) => site.server.listen(0, '127.0.0.1', done));
    // Another host name than the service's, which makes it another origin with any port.
    site.url = `http://127.0.0.1:${(site.server.address() as AddressInfo).port}`;
    return site;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  /** The service with the richer manifest. */
  get rich(): string {
    return `${this.url}/rich`;
  }

  /** The service behind a connection that can fail: see `fault`. */
  get faulty(): string {
    return `${this.url}/faulty`;
  }

  /** The status to answer a request on `faulty` with, or `lost` to cut it off. Undefined lets it through. */
  fault: (path: string) => number | 'lost' | undefined = () => undefined;
  /** The paths requested on `faulty`. */
  readonly asked: string[] = [];
  /** What players have reported on `faulty`. */
  readonly reports: SentReport[] = [];

  private async answerFaulty(req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
    this.asked.push(path);
    const { method = 'GET', headers } = req;
    const sent = method === 'POST' ? await text(req) : undefined;
    if (sent !== undefined) this.reports.push({ path, headers, body: JSON.parse(sent) as SentReport['body'] });
    const fault = this.fault(path);
    if (fault === 'lost') {
      req.socket.destroy();
      return;
    }
    if (fault !== undefined) {
      send(res, 'text/plain', '', fault);
      return;
    }
    const answer = await fetch(`${this.service}${path}`, { method, headers: viewerOf(req), body: sent ?? null });
    const type = answer.headers.get('content-type') ?? 'application/octet-stream';
    let body: string | Buffer = Buffer.from(await answer.arrayBuffer());
    // The stream's address would bypass the faults.
    if (type.startsWith('application/json')) body = body.toString().replaceAll(this.service, this.faulty);
    res.writeHead(answer.status, { 'content-type': type, 'access-control-allow-origin': '*' }).end(body);
  }

  /** Adds a page. Returns its address. */
  page(
    path: string,
    body: string,
    head = `<script type="module" src="${this.service}/player/dhara-player.mjs"></script>`,
  ) {
    this.pages.set(
      path,
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<title>A site</title><link rel="icon" href="/favicon">${head}</head><body><main>${body}<h1>A site</h1></main></body></html>`,
    );
    return `${this.url}${path}`;
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = new URL(req.url ?? '/', this.url).pathname;
    const page = this.pages.get(path);
    if (page) {
      const policy = strictPolicy(this.service, this.url);
      res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }).end(page);
      return;
    }
    if (path.startsWith('/faulty/')) return this.answerFaulty(req, res, path.slice('/faulty'.length));
    if (path.startsWith('/rich/v1/')) {
      const answer = await fetch(`${this.service}${path.slice('/rich'.length)}`, { headers: viewerOf(req) });
      const body = (await answer.json()) as { data?: object };
      if (body.data) Object.assign(body.data, this.extras());
      send(res, 'application/json', JSON.stringify(body), answer.status);
      return;
    }
    const [type, content] = (await this.text(path)) ?? ['text/plain', null];
    send(res, type, content ?? '', content === null ? 404 : 200);
  }

  private file(path: string): Promise<Buffer> {
    return readFile(join(this.folder, path));
  }

  private extras(): object {
    return {
      storyboardUrl: `${this.url}/storyboard.vtt`,
      chaptersUrl: `${this.url}/chapters.vtt`,
      captions: [
        { language: 'en', label: 'English', url: `${this.url}/en.vtt` },
        { language: 'hi', label: 'हिन्दी', url: `${this.url}/hi.vtt` },
      ],
    };
  }

  private async text(path: string): Promise<[string, string | Buffer] | undefined> {
    if (path === '/en.vtt') return ['text/vtt', CAPTIONS('The river is <i>slow</i> here')];
    if (path === '/hi.vtt') return ['text/vtt', CAPTIONS('यहाँ नदी धीमी है')];
    if (path === '/chapters.vtt') return ['text/vtt', CHAPTERS];
    if (path === '/storyboard.vtt') return ['text/vtt', STORYBOARD];
    if (path === '/sound.m3u8') return ['application/vnd.apple.mpegurl', await this.file(path)];
    if (path === '/sound0.m4s' || path === '/init.mp4') return ['audio/mp4', await this.file(path)];
    if (path === '/sound.mp4')
      return ['audio/mp4', Buffer.concat([await this.file('init.mp4'), await this.file('sound0.m4s')])];
    if (path === '/sheet.jpg') return ['image/jpeg', await this.file(path)];
    return undefined;
  }
}

/** The service counts the views of people, and tells them from programs by this header. */
function viewerOf({ headers }: IncomingMessage): Record<string, string> {
  return { 'user-agent': headers['user-agent'] ?? '' };
}

function send(res: ServerResponse, type: string, content: string | Buffer, status: number): void {
  res.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'access-control-allow-origin': '*' }).end(content);
}
