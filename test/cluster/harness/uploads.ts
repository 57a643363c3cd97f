import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import { Upload } from 'tus-js-client';

import type { Client } from '../../support/graphql/client.js';
import { makeClip, mediaFolder } from '../../support/media.js';
import { createVideo } from '../../support/uploads/clip.js';
import { eventually } from './child.js';

const STATE = 'query ($id: ID!) { video(id: $id) { status failure { code message } } }';
/** The only code with which the service may refuse: it tells a caller to send the request again. */
export const TRY_AGAIN = 'SERVICE_UNAVAILABLE';
const POLL_MS = 200;
const RETRY_MS = 500;
const RETRIES = 1_000;
/** So many videos are uploaded or encoded at a time. */
const AT_ONCE = 2;

export interface VideoState {
  readonly id: string;
  readonly status: string;
  readonly failure: { readonly code: string; readonly message: string } | null;
  /** From the first request of its upload until the last part was accepted. */
  readonly uploadMs: number;
  readonly uploadedAtMs: number;
  /** From then until its customer saw that it had ended; `null` until then. */
  readonly waitedMs: number | null;
}

/** A clip that is uploaded and encoded within seconds. */
export async function makeUpload(): Promise<Buffer> {
  await using folder = await mediaFolder();
  return await readFile(await makeClip(folder.path, { durationSeconds: 10, width: 640, height: 360 }));
}

/** A customer who uploads a clip to be processed, and the next one when the cluster has space, until `stop`. */
export class Uploads {
  /** Failures other than a request to try again. */
  readonly surprises: string[] = [];
  /** Videos whose upload is complete. */
  private readonly videos = new Map<string, VideoState>();
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  /**
   * @param clients the customer's browsers, one per API process
   * @param pauseMs between two uploads
   */
  constructor(
    private readonly clients: readonly Client[],
    private readonly origin: string,
    private readonly clip: Buffer,
    private readonly pauseMs: number,
  ) {
    this.running = this.uploadForever();
  }

  /** Resolves once a video is being processed. */
  async encodes(): Promise<void> {
    await eventually(
      async () => (await this.look()).some(({ status }) => status === 'PROCESSING'),
      'a video is encoded',
    );
  }

  /** Resolves once one more video has ended. */
  async endsAnother(): Promise<void> {
    const before = (await this.look()).filter(hasEnded).length;
    await eventually(async () => (await this.look()).filter(hasEnded).length > before, 'one more video has ended');
  }

  /** Finishes the current upload and begins no other. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** All videos, once each has ended. */
  async ended(): Promise<VideoState[]> {
    await eventually(async () => (await this.look()).every(hasEnded), 'every video is ready or failed');
    return this.look();
  }

  private async uploadForever(): Promise<void> {
    for (let nth = 0; !this.stopping.signal.aborted; nth += 1) {
      const client = this.clients[nth % this.clients.length]!;
      try {
        const startedAtMs = performance.now();
        const input = { filename: 'clip.mp4', sizeBytes: this.clip.length, quality: 'P480', autoProcess: true };
        const { id, uploadUrl } = await createVideo(client, input);
        await sendInParts(uploadUrl, this.clip, { cookie: client.cookie, origin: this.origin });
        const uploadedAtMs = performance.now();
        const uploadMs = uploadedAtMs - startedAtMs;
        this.videos.set(id, { id, status: 'UPLOADED', failure: null, uploadMs, uploadedAtMs, waitedMs: null });
      } catch (error) {
        if (!String(error).includes(TRY_AGAIN)) this.surprises.push(`upload: ${String(error)}`);
      }
      await delay(this.pauseMs, null, { signal: this.stopping.signal }).catch(() => undefined);
      do await delay(POLL_MS);
      while (!this.stopping.signal.aborted && !(await this.hasSpace()));
    }
  }

  private async hasSpace(): Promise<boolean> {
    const videos = await this.look().catch(() => null);
    return videos !== null && videos.filter((video) => !hasEnded(video)).length < AT_ONCE;
  }

  /** All videos as they are now. Those that have ended stay so. */
  private async look(): Promise<VideoState[]> {
    for (const open of [...this.videos.values()].filter((video) => !hasEnded(video))) {
      const { video } = await this.clients[0]!.data(STATE, { id: open.id });
      const now = { ...open, status: video.status as string, failure: video.failure as VideoState['failure'] };
      const waitedMs = hasEnded(now) ? performance.now() - open.uploadedAtMs : null;
      this.videos.set(open.id, { ...now, waitedMs });
    }
    return [...this.videos.values()];
  }
}

function hasEnded({ status }: Pick<VideoState, 'status'>): boolean {
  return status === 'READY' || status === 'FAILED';
}

/** Sends a file as the dashboard does: in parts, and again from where the service says that it stands. */
function sendInParts(uploadUrl: string, clip: Buffer, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(clip, {
      uploadUrl,
      headers,
      uploadSize: clip.length,
      chunkSize: Math.ceil(clip.length / 10),
      retryDelays: Array.from({ length: RETRIES }, () => RETRY_MS),
      onSuccess: () => resolve(),
      onError: reject,
    });
    upload.start();
  });
}
