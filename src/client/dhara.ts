import type {
  ListVideosParameters,
  Manifest,
  ManifestResponse,
  Pagination,
  PlaybackToken,
  PlaybackTokenResponse,
  Video,
  VideoDetail,
  VideoList,
  VideoResponse,
} from './generated/api.js';
import type { RateLimit } from './rateLimit.js';
import { type ApiResponse, send, type TransportOptions } from './transport.js';

export interface DharaOptions {
  /** Where the service is, such as `https://video.example.com`. */
  readonly baseUrl: string;
  /** Only `getManifest` works without one. Keep it on your server. */
  readonly apiKey?: string;
  /** Per attempt; 10,000 by default. */
  readonly timeoutMs?: number;
  /** After the first attempt; 2 by default, 0 for none. */
  readonly maxRetries?: number;
  /** The runtime's own by default. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** What the service responded. */
export interface Result<Data> {
  readonly data: Data;
  /** Quote it when you ask for help. */
  readonly requestId: string | null;
  /** The key's daily quota of playback tokens; `null` for requests that do not count. */
  readonly rateLimit: RateLimit | null;
}

export interface VideoPage extends Result<readonly Video[]> {
  readonly pagination: Pagination;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_RETRIES = 2;
const MAX_PAGE_SIZE = 100;
const NO_ID = '\ufffd';

/**
 * A Dhara service.
 *
 * Every method throws a `DharaApiError` if the service refuses, a `DharaConnectionError` if it cannot be reached, and
 * the signal's reason if the caller aborts.
 */
export class Dhara {
  private readonly transport: TransportOptions;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(options: DharaOptions) {
    this.transport = {
      baseUrl: options.baseUrl.replace(/\/+$/, ''),
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxRetries: options.maxRetries ?? DEFAULT_MAX_RETRIES,
      fetch: options.fetch ?? globalThis.fetch,
    };
    this.headers = options.apiKey === undefined ? {} : { 'x-service-key': options.apiKey };
  }

  /** One page of your videos, newest first unless `sort` says otherwise. */
  async listVideos(parameters: ListVideosParameters = {}, { signal }: CallOptions = {}): Promise<VideoPage> {
    const given = Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const query = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
    const { body, ...rest } = await send<VideoList>(
      { method: 'GET', path: `/v1/video${query}`, headers: this.headers, signal },
      this.transport,
    );
    return { data: body.data, pagination: body.pagination, ...rest };
  }

  /**
   * All of your videos, page by page as you iterate. Each video that exists throughout comes exactly once, whatever is
   * added or deleted meanwhile.
   */
  async *videos(
    parameters: Omit<ListVideosParameters, 'page' | 'cursor'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Video, void, undefined> {
    let cursor: string | null = null;
    do {
      const page: VideoPage = await this.listVideos(
        { limit: MAX_PAGE_SIZE, ...parameters, ...(cursor === null ? {} : { cursor }) },
        options,
      );
      yield* page.data;
      cursor = page.pagination.nextCursor;
    } while (cursor !== null);
  }

  /** One video, with its playable renditions. @param videoId `vid_…` or the UUID */
  async getVideo(videoId: string, { signal }: CallOptions = {}): Promise<Result<VideoDetail>> {
    const path = `/v1/video/${segment(videoId)}`;
    return resultOf(await send<VideoResponse>({ method: 'GET', path, headers: this.headers, signal }, this.transport));
  }

  /**
   * A token for one view: valid for five minutes, counted against the key's daily quota. `rateLimit` says what is left.
   *
   * Not retried after a lost connection, because the token may have been counted.
   */
  async createPlaybackToken(videoId: string, { signal }: CallOptions = {}): Promise<Result<PlaybackToken>> {
    const path = `/v1/video/${segment(videoId)}/playback-token`;
    const request = { method: 'POST', path, headers: this.headers, signal } as const;
    return resultOf(await send<PlaybackTokenResponse>(request, this.transport));
  }

  /** The stream of a token, for players; needs no API key. */
  async getManifest(token: string, { signal }: CallOptions = {}): Promise<Result<Manifest>> {
    const path = `/v1/video/playback/manifest/${segment(token)}`;
    return resultOf(await send<ManifestResponse>({ method: 'GET', path, headers: {}, signal }, this.transport));
  }
}

/**
 * Any text as one part of a path. An empty text and dots would lead to another path, and half a character cannot be
 * encoded: each becomes a character that no id and no token has, so the service responds that there is no such thing.
 */
function segment(text: string): string {
  const whole = text.replaceAll(/\p{Surrogate}/gu, NO_ID);
  return encodeURIComponent(/^\.{0,2}$/.test(whole) ? NO_ID : whole);
}

function resultOf<Data>({ body, requestId, rateLimit }: ApiResponse<{ readonly data: Data }>): Result<Data> {
  return { data: body.data, requestId, rateLimit };
}
