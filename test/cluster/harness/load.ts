import { setTimeout as delay } from 'node:timers/promises';

import { newId } from '../../../src/domain/shared/ids.js';
import { eventually } from './child.js';
import type { Cluster } from './cluster.js';
import type { Tenant } from './tenant.js';
import { Uploads } from './uploads.js';

/** What one posting moves. */
export const POSTING_MICROS = 10_000n;
const MOVE = `mutation ($key: String!) {
  allocateCredits(amount: "0.01", from: MASTER, to: AI, idempotencyKey: $key) { __typename } }`;
const PAUSE_MS = 100;
const MINTERS_PER_API = 2;
/** The service must answer within this time, whatever is broken. */
const ANSWERS_WITHIN_MS = 60_000;
/** Each API process must acknowledge this many of each kind before the service counts as working. */
const ENOUGH = 10;

const KINDS = ['token', 'posting'] as const;
export type Kind = (typeof KINDS)[number];

/** How the service answered a request. */
export interface Answer {
  readonly kind: Kind;
  /** Which API process. */
  readonly api: number;
  readonly atMs: number;
  /** `ok`, the code of the error, or what happened instead of an answer. */
  readonly what: string;
}

/** A customer who creates tokens, moves credits and uploads videos all the time, at both API processes. */
export class Load {
  readonly answers: Answer[] = [];
  /** The idempotency keys of all postings that were sent. After `stop`, each of them has been acknowledged. */
  readonly postings: string[] = [];
  readonly uploads: Uploads;
  private readonly run = newId();
  private readonly stopping = new AbortController();
  private readonly abandoning = new AbortController();
  private readonly running: Promise<unknown>;

  constructor(
    private readonly cluster: Cluster,
    private readonly tenant: Tenant,
    clip: Buffer,
    { uploadPauseMs = 0 }: { readonly uploadPauseMs?: number } = {},
  ) {
    const { apis } = cluster;
    const clients = apis.map(({ url }) => tenant.clientOf(url));
    this.uploads = new Uploads(clients, cluster.publicUrl, clip, uploadPauseMs);
    const minters = apis.flatMap((_, api) => Array.from({ length: MINTERS_PER_API }, () => this.mint(api)));
    this.running = Promise.all([...minters, ...apis.map((_, api) => this.post(api))]);
  }

  /** Resolves once each API process has acknowledged enough from now on. */
  async continues(): Promise<void> {
    const from = this.answers.length;
    const holds = (): boolean => {
      const since = this.answers.slice(from).filter(({ what }) => what === 'ok');
      const count = (kind: Kind, api: number): number =>
        since.filter((answer) => answer.kind === kind && answer.api === api).length;
      return this.cluster.apis.every((_, api) => KINDS.every((kind) => count(kind, api) >= ENOUGH));
    };
    await eventually(holds, 'tokens and postings are acknowledged');
  }

  /** Ends the load. Postings without an answer are sent again until they have one. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.running, this.uploads.stop()]);
  }

  /** Ends the load of a drill that has failed, whatever was acknowledged. */
  abandon(): void {
    this.stopping.abort();
    this.abandoning.abort();
    void this.uploads.stop();
  }

  /** How many requests of a kind were acknowledged. */
  acknowledged(kind: Kind): number {
    return this.answers.filter((answer) => answer.kind === kind && answer.what === 'ok').length;
  }

  /** The longest time without an acknowledgement of this kind since shortly before `sinceMs`, from each API process. */
  longestGapsMs(kind: Kind, sinceMs: number): number[] {
    return this.cluster.apis.map((_, api) => {
      const times = this.answers
        .filter((answer) => answer.kind === kind && answer.api === api && answer.what === 'ok')
        .map(({ atMs }) => atMs);
      // A gap begins with the last one before the fault.
      const first = times.findLastIndex((atMs) => atMs < sinceMs);
      return Math.max(...times.slice(first).map((atMs, at, rest) => (rest[at + 1] ?? atMs) - atMs));
    });
  }

  private async mint(api: number): Promise<void> {
    const { key, videoId } = this.tenant;
    const url = `${this.cluster.apis[api]!.url}/v1/video/${videoId}/playback-token`;
    const once = async (): Promise<string> => {
      const response = await fetch(url, { method: 'POST', headers: { 'x-service-key': key } });
      const body = (await response.json()) as { error?: { code: string } };
      return response.ok ? 'ok' : body.error!.code;
    };
    while (!this.stopping.signal.aborted) {
      await this.ask('token', api, once);
      await delay(PAUSE_MS);
    }
  }

  private async post(api: number): Promise<void> {
    const client = this.tenant.clientOf(this.cluster.apis[api]!.url);
    while (!this.stopping.signal.aborted) {
      const key = `${this.run}:${this.postings.length}`;
      this.postings.push(key);
      const once = async (): Promise<string> => {
        const reply = await client.ask(MOVE, { key });
        if (reply.data !== null && reply.errors.length === 0) return 'ok';
        return (reply.errors[0]?.extensions['code'] as string | undefined) ?? reply.text;
      };
      // As callers are asked to: with the same key until there is an answer.
      while ((await this.ask('posting', api, once)) !== 'ok' && !this.abandoning.signal.aborted) await delay(PAUSE_MS);
      await delay(PAUSE_MS);
    }
  }

  private async ask(kind: Kind, api: number, once: () => Promise<string>): Promise<string> {
    const answered = new AbortController();
    const late = delay(ANSWERS_WITHIN_MS, 'no response', { signal: answered.signal });
    late.catch(() => undefined);
    let what: string;
    try {
      what = await Promise.race([once(), late]);
    } catch (error) {
      what = `${String(error)} ${String((error as Error).cause)}`;
    } finally {
      answered.abort();
    }
    this.answers.push({ kind, api, atMs: performance.now(), what });
    return what;
  }
}
