import { setTimeout as delay } from 'node:timers/promises';

import { signIn, type Demo } from '../service.js';

const MOVE = `mutation ($n: String!) {
  allocateCredits(amount: "0.01", from: MASTER, to: CLOUD, idempotencyKey: $n) { __typename } }`;
const CREATE = `mutation ($input: CreateVideoInput!) { createVideo(input: $input) { video { id } upload { url } } }`;
/** Leaves the machine time for what is tested, and the key some of its daily quota. */
const PAUSE_MS = 100;

/** Something the service acknowledged, and when. */
export interface Acknowledged {
  readonly name: string;
  readonly atMs: number;
}

/** A customer who creates tokens and moves credits all the time, until `stop`. */
export class Load {
  readonly tokens: Acknowledged[] = [];
  readonly postings: Acknowledged[] = [];
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly demo: Demo,
    private readonly cookie: string,
  ) {}

  static async start(demo: Demo): Promise<Load> {
    const load = new Load(demo, await signIn(demo));
    load.running = Promise.all([
      load.repeat(load.tokens, () => load.token()),
      load.repeat(load.postings, () => load.posting(`load:${load.postings.length}`)),
    ]);
    return load;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Uploads a clip to be processed at once. @returns the video's id */
  async upload(title: string, clip: Buffer, quality: 'P480' | 'P720'): Promise<string> {
    const { id, url } = await this.create({ title, sizeBytes: clip.length, quality, autoProcess: true });
    await this.send(url, clip);
    return id;
  }

  /** Sends the first half. @returns the address of the upload */
  async beginUpload(title: string, clip: Buffer): Promise<string> {
    const { url } = await this.create({ title, sizeBytes: clip.length });
    await this.send(url, clip.subarray(0, clip.length >> 1));
    return url;
  }

  /** How much of an upload the service has. */
  async offsetOf(url: string): Promise<number> {
    const headers = { cookie: this.cookie, origin: this.demo.url, 'tus-resumable': '1.0.0' };
    const response = await fetch(new URL(url, this.demo.url), { method: 'HEAD', headers });
    return Number(response.headers.get('upload-offset') ?? Number.NaN);
  }

  private async create(input: object): Promise<{ id: string; url: string }> {
    const { createVideo } = await this.graphql<{
      createVideo: { video: { id: string }; upload: { url: string } };
    }>(CREATE, { input: { filename: 'clip.mp4', ...input } });
    return { id: createVideo.video.id, url: createVideo.upload.url };
  }

  private async send(url: string, bytes: Buffer): Promise<void> {
    const response = await fetch(new URL(url, this.demo.url), {
      method: 'PATCH',
      headers: {
        cookie: this.cookie,
        origin: this.demo.url,
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
      },
      body: new Uint8Array(bytes),
    });
    if (response.status !== 204) throw new Error(`upload: ${response.status} ${await response.text()}`);
  }

  async graphql<Data>(query: string, variables: object): Promise<Data> {
    const response = await fetch(`${this.demo.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.demo.url, cookie: this.cookie },
      body: JSON.stringify({ query, variables }),
    });
    const body = (await response.json()) as { data?: Data; errors?: unknown };
    if (!body.data) throw new Error(`GraphQL: ${JSON.stringify(body.errors)}`);
    return body.data;
  }

  private async token(): Promise<string> {
    const headers = { 'x-service-key': this.demo.apiKey };
    const response = await fetch(`${this.demo.url}/v1/video/${this.demo.videoId}/playback-token`, {
      method: 'POST',
      headers,
    });
    if (!response.ok) throw new Error(`token: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: { token: string } }).data.token;
  }

  private async posting(key: string): Promise<string> {
    await this.graphql(MOVE, { n: key });
    return key;
  }

  private async repeat(done: Acknowledged[], once: () => Promise<string>): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const name = await once();
      done.push({ name, atMs: Date.now() });
      await delay(PAUSE_MS);
    }
  }
}

/** The address of a video's stream, for a new token of its owner's key. */
export async function streamOf(demo: Demo, videoId: string): Promise<string> {
  const headers = { 'x-service-key': demo.apiKey };
  const minted = await fetch(`${demo.url}/v1/video/${videoId}/playback-token`, { method: 'POST', headers });
  if (!minted.ok) throw new Error(`token: ${minted.status} ${await minted.text()}`);
  const { data } = (await minted.json()) as { data: { manifestUrl: string } };
  const manifest = (await (await fetch(data.manifestUrl)).json()) as { data: { url: string } };
  return manifest.data.url;
}

/** The ids of the ready videos of the account. */
export async function readyVideos(demo: Demo): Promise<string[]> {
  const response = await fetch(`${demo.url}/v1/video?status=ready`, { headers: { 'x-service-key': demo.apiKey } });
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}
