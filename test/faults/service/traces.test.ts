import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import { parseVideoId } from '../../../src/domain/shared/ids.js';
import { makeDemoDataDir } from '../../support/demoDataDir.js';
import { Client } from '../../support/graphql/client.js';
import { makeClip } from '../../support/media.js';
import { ServiceProcess, signIn, type Demo } from '../../support/service.js';
import { createVideo, makeVideo, sendFile } from '../../support/uploads/clip.js';

interface Sent {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status?: { readonly code?: number };
  readonly links?: readonly { readonly traceId: string }[];
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

/** A collector: takes spans by OTLP over HTTP. */
class Collector {
  readonly spans: Sent[] = [];
  readonly bodies: string[] = [];
  readonly resources = new Set<string>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    server.on('request', (req, res) => {
      let body = '';
      req.on('data', (chunk: Buffer) => (body += chunk.toString()));
      req.on('end', () => {
        collector.take(body);
        res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private take(body: string): void {
    this.bodies.push(body);
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { resource: object; scopeSpans: { spans: Sent[] }[] }[];
    };
    for (const { resource, scopeSpans } of resourceSpans) {
      this.resources.add(JSON.stringify(resource));
      for (const { spans } of scopeSpans) this.spans.push(...spans);
    }
  }

  of(traceId: string): Sent[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/**
 * Names the packages of OpenTelemetry that a process has loaded, in any way, when it ends: of a file of the build, those
 * that its map names.
 */
const NAME_PACKAGES = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const names = new Set();
registerHooks({
  load(url, context, next) {
    const map = new URL(url + '.map');
    const sources = url.startsWith('file:') && existsSync(map) ? JSON.parse(readFileSync(map)).sources : [];
    for (const [name] of [url, ...sources].join('\\n').matchAll(/@opentelemetry\\/[^/]+/g)) names.add(name);
    return next(url, context);
  },
});
process.on('exit', () => appendFileSync(process.env.PACKAGES, [...names].join('\\n')));
`;

describe('traces of a running service', () => {
  let folder: Awaited<ReturnType<typeof makeDemoDataDir>>;
  let collector: Collector;
  let settings: { DATA_DIR: string; PORT: string; OTEL_EXPORTER_OTLP_ENDPOINT: string };
  let service: ServiceProcess;
  let demo: Demo;
  let owner: Client;

  beforeAll(async () => {
    folder = await makeDemoDataDir();
    collector = await Collector.start();
    settings = {
      DATA_DIR: folder.path,
      PORT: String(await findFreePort()),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    };
    service = ServiceProcess.start(['all'], settings);
    demo = await service.demo();
    owner = new Client(demo.url, await signIn(demo));
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    collector?.close();
    await folder?.remove();
  });

  /** The request that names this trace as its caller's. */
  const linkedTo = (traceId: string): Sent | undefined =>
    collector.spans.find(({ links }) => links?.some((link) => link.traceId === traceId));

  it('follow a video from its upload until it is ready, with the statements, jobs and programs on the way', async () => {
    const clip = await readFile(await makeClip(folder.path, { name: 'traced.mp4', durationSeconds: 3 }));
    const { id, uploadUrl } = await createVideo(owner, {
      filename: 'traced.mp4',
      sizeBytes: clip.length,
      quality: 'P480',
      autoProcess: true,
    });
    await sendFile(owner, uploadUrl, clip);
    const status = async () =>
      (await owner.data('query ($id: ID!) { video(id: $id) { status } }', { id })).video.status as string;
    await expect.poll(status).toBe('READY');

    const traceId = parseVideoId(id)!.replaceAll('-', '');
    const finished = (): string[] => collector.of(traceId).map(({ name }) => name);
    await expect.poll(finished).toContain('process-video');
    const spans = collector.of(traceId);
    expect(finished()).toEqual(
      expect.arrayContaining([
        'create video',
        'receive upload',
        'finish upload',
        'send measure-upload',
        'measure-upload',
        'ffprobe',
        'send process-video',
        'process-video',
        'ffmpeg',
      ]),
    );
    expect(finished().some((name) => name.startsWith('sql '))).toBe(true);
    // One tree: each span is below another, and all are below the one that created the video.
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const roots = spans.filter(({ parentSpanId }) => !parentSpanId);
    expect(roots.map(({ name }) => name)).toEqual(['create video']);
    expect(spans.filter(({ parentSpanId }) => parentSpanId && !ids.has(parentSpanId))).toEqual([]);
    // The request that created it leads to it, and it leads back.
    const from = roots[0]!.links![0]!.traceId;
    await expect.poll(() => collector.of(from).map(({ name }) => name)).toContain('POST /graphql');
  });

  it('begin with each request, no matter what the caller sends, and link to the caller', async () => {
    const theirs = '0af7651916cd43dd8448eb211c80319c';
    const response = await fetch(`${demo.url}/v1/video/${demo.videoId}/playback-token`, {
      method: 'POST',
      headers: { 'x-service-key': demo.apiKey, traceparent: `00-${theirs}-b7ad6b7169203331-01` },
    });
    expect(response.status).toBe(200);
    await expect.poll(() => linkedTo(theirs)).toBeDefined();
    const { traceId } = linkedTo(theirs)!;
    expect(collector.of(theirs)).toEqual([]);
    const names = collector.of(traceId).map(({ name }) => name);
    expect(names).toContain('POST /v1/video/:videoId/playback-token');
    expect(names).toContain('PlaybackService.mint');
    expect(names.some((name) => name.startsWith('sql '))).toBe(true);
    const { requestId } = JSON.parse(
      service.output.split('\n').find((line) => line.includes(`"trace_id":"${traceId}"`))!,
    ) as { requestId: string };
    expect(requestId).toBe(response.headers.get('x-request-id'));
  });

  it('have no key, no token and no address of a person', async () => {
    await expect.poll(() => collector.spans.map(({ name }) => name)).toContain('POST /api/auth');
    const all = collector.bodies.join('\n');
    for (const secret of [demo.apiKey, demo.email, demo.password, owner.cookie]) expect(all).not.toContain(secret);
    expect(all).not.toMatch(/eyJ[\w-]+\.[\w-]+\./);
  });

  it('are sent to the last when the service stops', async () => {
    const theirs = '4bf92f3577b34da6a3ce929d0e0e4736';
    const answer = await fetch(`${demo.url}/v1/video`, {
      headers: { 'x-service-key': demo.apiKey, traceparent: `00-${theirs}-00f067aa0ba902b7-01` },
    });
    expect(answer.status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(linkedTo(theirs)).toBeDefined();
  });

  it('hold up neither requests nor the end of the service if the collector is away', async () => {
    collector.close();
    service = ServiceProcess.start(['all'], settings);
    demo = await service.demo();
    expect((await fetch(`${demo.url}/v1/video`, { headers: { 'x-service-key': demo.apiKey } })).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(service.output).toContain('"scope":"traces"');
  });

  it('load no exporter and mark no line without a collector', async () => {
    const hook = join(folder.path, 'packages.mjs');
    await writeFile(hook, NAME_PACKAGES);
    const { OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl, ...without } = settings;
    /** What a service with these settings loads and logs while it answers requests and makes a video. */
    const used = async (name: string, own: Record<string, string>): Promise<{ packages: string[]; log: string }> => {
      const PACKAGES = join(folder.path, name);
      service = ServiceProcess.start(['all'], { ...without, ...own, PACKAGES, NODE_OPTIONS: `--import ${hook}` });
      demo = await service.demo();
      const answer = await fetch(`${demo.url}/v1/video`, { headers: { 'x-service-key': demo.apiKey } });
      expect(answer.status).toBe(200);
      owner = new Client(demo.url, await signIn(demo));
      await makeVideo(service, owner, await makeClip(folder.path, { name: `${name}.mp4`, durationSeconds: 1 }));
      expect(await service.stop()).toBe(0);
      return { packages: (await readFile(PACKAGES, 'utf8')).split('\n').toSorted(), log: service.output };
    };

    const off = await used('off', {});
    expect(off.packages).toEqual(['@opentelemetry/api']);
    expect(off.log).toContain('"msg":"video ready"');
    expect(off.log).not.toContain('trace_id');
    // The same look finds them where they are.
    const on = await used('on', { OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl });
    expect(on.packages).toEqual(
      expect.arrayContaining(['@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/sdk-trace']),
    );
    expect(on.log).toContain('trace_id');
  });
});
