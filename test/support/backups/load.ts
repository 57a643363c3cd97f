import { setTimeout as delay } from 'node:timers/promises';

import { Client } from '../graphql/client.js';
import { signIn, type Demo } from '../service.js';
import { createVideo, sendFile } from '../uploads/clip.js';

const MOVE = `mutation ($n: String!) {
  allocateCredits(amount: "0.01", from: MASTER, to: CLOUD, idempotencyKey: $n) { __typename } }`;
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
    private readonly client: Client,
  ) {}

  static async start(demo: Demo): Promise<Load> {
    const load = new Load(demo, new Client(demo.url, await signIn(demo)));
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
    const input = { filename: 'clip.mp4', title, sizeBytes: clip.length, quality, autoProcess: true };
    const { id, uploadUrl } = await createVideo(this.client, input);
    await sendFile(this.client, uploadUrl, clip);
    return id;
  }

  /** Sends the first half. @returns the address of the upload */
  async beginUpload(title: string, clip: Buffer): Promise<string> {
    const { uploadUrl } = await createVideo(this.client, { filename: 'clip.mp4', title, sizeBytes: clip.length });
    await sendFile(this.client, uploadUrl, clip.subarray(0, clip.length >> 1));
    return uploadUrl;
  }

  /** How much of an upload the service has. */
  async offsetOf(uploadUrl: string): Promise<number> {
    const headers = { cookie: this.client.cookie, origin: this.demo.url, 'tus-resumable': '1.0.0' };
    const response = await fetch(uploadUrl, { method: 'HEAD', headers });
    return Number(response.headers.get('upload-offset') ?? Number.NaN);
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
    await this.client.data(MOVE, { n: key });
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
