import { connection } from '../session/connection.js';
import { session } from '../session/session.js';
import { wordsOf } from '../session/failures.js';
import { isSameFile, keepUploads, readKeptUploads } from './keptUploads.js';
import { askSentBytes, sendFile } from './sendFile.js';
import { Speedometer } from './speedometer.js';
import type { KeptUpload, UploadItem, UploadWishes } from './types.js';

/** Files sent in parallel. More would only make each slower. */
const ABREAST = 2;
/** Temporary errors; the upload resumes once they are over. */
const PASSING = new Set(['NETWORK', 'SERVICE_UNAVAILABLE', 'RATE_LIMIT_EXCEEDED', 'UNAUTHENTICATED']);

interface Running {
  readonly file: File;
  readonly speed: Speedometer;
  stop: (() => void) | undefined;
}

export interface UploadApi {
  /** Registers the file with the service. */
  readonly create: (file: File, wishes: UploadWishes) => Promise<{ videoId: string; url: string }>;
  /** Deletes the video, including the bytes sent. */
  readonly discard: (videoId: string) => Promise<unknown>;
}

/** All uploads in progress. The queue outlives the upload page, so that the user can visit other pages meanwhile. */
export class UploadQueue {
  #items: readonly UploadItem[] = [];
  readonly #running = new Map<string, Running>();
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly accountId: string,
    private readonly api: UploadApi,
  ) {
    this.#items = readKeptUploads(accountId).map((kept) => ({ ...kept, ...AT_REST, state: 'lostFile' }));
    void Promise.all(this.#items.map((item) => this.#askKept(item)));
    connection.onReturn(() => this.#next());
    session.onResume(() => this.#next());
    addEventListener('beforeunload', (event) => {
      if (this.#items.some(({ state }) => state === 'sending' || state === 'waiting')) event.preventDefault();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): readonly UploadItem[] => this.#items;

  /** Starts a new upload, or resumes the unfinished one of the same file. Rejects if the service refuses it. */
  async add(file: File, wishes: UploadWishes): Promise<void> {
    const kept = this.unfinished(file);
    if (kept) return this.resume(kept.videoId, file);

    const { videoId, url } = await this.api.create(file, wishes);
    const facts = { fileName: file.name, sizeBytes: file.size, lastModified: file.lastModified };
    this.adopt({ videoId, url, title: wishes.title, ...facts }, file);
  }

  /** Takes over an upload that was begun elsewhere. */
  adopt(kept: KeptUpload, file: File): void {
    this.#items = [
      ...this.#items.filter(({ videoId }) => videoId !== kept.videoId),
      { ...kept, ...AT_REST, state: 'waiting' },
    ];
    this.#running.set(kept.videoId, { file, speed: new Speedometer(), stop: undefined });
    this.#keep();
    this.#next();
  }

  /** The unfinished upload of this very file. */
  unfinished(file: File): UploadItem | undefined {
    return this.#items.find((item) => item.state === 'lostFile' && isSameFile(item, file));
  }

  pause(videoId: string): void {
    this.#running.get(videoId)?.stop?.();
    this.#change(videoId, { state: 'paused', bytesPerSecond: undefined });
    this.#next();
  }

  /** Resumes an upload; `file` is required after a reload of the page. */
  resume(videoId: string, file?: File): void {
    if (file) this.#running.set(videoId, { file, speed: new Speedometer(), stop: undefined });
    this.#change(videoId, { state: 'waiting', error: undefined });
    this.#next();
  }

  /** Pauses all active uploads. */
  pauseAll(): void {
    // Waiting ones first: stopping an active one would start the next.
    const moving = this.#items.filter(({ state }) => state === 'waiting' || state === 'sending');
    for (const { videoId } of moving.toSorted((a) => (a.state === 'waiting' ? -1 : 1))) this.pause(videoId);
  }

  /** Resumes all paused uploads. */
  resumeAll(): void {
    for (const { videoId, state } of this.#items) if (state === 'paused') this.resume(videoId);
  }

  /** Removes finished uploads from the list. */
  clearDone(): void {
    for (const { videoId, state } of this.#items) if (state === 'done') this.remove(videoId);
  }

  /** Stops the upload and deletes its video. */
  async discard(videoId: string): Promise<void> {
    this.#running.get(videoId)?.stop?.();
    await this.api.discard(videoId);
    this.remove(videoId);
  }

  /** Removes a finished or failed upload from the list. */
  remove(videoId: string): void {
    this.#running.delete(videoId);
    this.#items = this.#items.filter((item) => item.videoId !== videoId);
    this.#keep();
    this.#next();
  }

  /** Starts waiting uploads, up to `ABREAST` at once. */
  #next(): void {
    let free = ABREAST - this.#items.filter(({ state }) => state === 'sending').length;
    for (const { videoId, state } of this.#items) {
      if (state !== 'waiting' || free <= 0) continue;
      free -= 1;
      this.#change(videoId, { state: 'sending', error: undefined });
      void this.#send(videoId);
    }
  }

  async #send(videoId: string): Promise<void> {
    const running = this.#running.get(videoId);
    const item = this.#items.find((other) => other.videoId === videoId);
    if (!running || !item) return;
    running.speed.reset();

    const stop = await sendFile(running.file, item.url, {
      onProgress: (sentBytes) => {
        running.speed.note(sentBytes, performance.now());
        this.#change(videoId, { sentBytes, bytesPerSecond: running.speed.bytesPerSecond });
      },
      onDone: () => this.#finish(videoId, item.sizeBytes),
      onError: (error) => this.#fail(videoId, error),
    });
    running.stop = stop;
    // It was paused or discarded while the sending code was loading.
    if (this.#items.find((other) => other.videoId === videoId)?.state !== 'sending') stop();
  }

  #finish(videoId: string, sizeBytes: number): void {
    this.#running.delete(videoId);
    this.#change(videoId, { state: 'done', sentBytes: sizeBytes, bytesPerSecond: undefined });
    this.#keep();
    this.#next();
  }

  #fail(videoId: string, error: Error): void {
    const { code } = wordsOf(error);
    const passing = PASSING.has(code);
    this.#change(videoId, { state: passing ? 'waiting' : 'failed', error, bytesPerSecond: undefined });
    if (code === 'UNAUTHENTICATED') session.reportEnded();
    else if (passing) connection.reportLost();
    this.#keep();
    if (!passing) this.#next();
  }

  /** After a reload: asks how many bytes the service has, or whether it has forgotten the upload. */
  async #askKept({ videoId, url, sizeBytes }: KeptUpload): Promise<void> {
    const sentBytes = await askSentBytes(url).catch(() => 0);
    if (sentBytes === undefined || sentBytes >= sizeBytes) this.remove(videoId);
    else this.#change(videoId, { sentBytes });
  }

  #change(videoId: string, change: Partial<UploadItem>): void {
    this.#items = this.#items.map((item) => (item.videoId === videoId ? { ...item, ...change } : item));
    for (const listener of this.#listeners) listener();
  }

  #keep(): void {
    keepUploads(
      this.accountId,
      this.#items.filter(({ state }) => state !== 'done' && state !== 'failed'),
    );
    for (const listener of this.#listeners) listener();
  }
}

const AT_REST = { sentBytes: 0, bytesPerSecond: undefined, error: undefined } as const;
