/** Written by `npm run client:types` from the OpenAPI document. */

export type ErrorCode =
  | 'ACCOUNT_SUSPENDED'
  | 'DOMAIN_NOT_ALLOWED'
  | 'INTERNAL_ERROR'
  | 'INVALID_API_KEY'
  | 'INVALID_PARAMETER'
  | 'INVALID_PLAYBACK_TOKEN'
  | 'METHOD_NOT_ALLOWED'
  | 'PLAYBACK_TOKEN_EXPIRED'
  | 'RATE_LIMIT_EXCEEDED'
  | 'SERVICE_UNAVAILABLE'
  | 'VIDEO_NOT_FOUND'
  | 'VIDEO_NOT_READY';

export interface ListVideosParameters {
  /** Videos per page */
  readonly limit?: number | undefined;
  /** `pagination.nextCursor` of the page before. Not with `page` */
  readonly cursor?: string | undefined;
  /** From 1; `page` × `limit` is at most 10,000 */
  readonly page?: number | undefined;
  /** Only videos in this state */
  readonly status?: 'awaiting_upload' | 'uploading' | 'uploaded' | 'queued' | 'processing' | 'ready' | 'failed' | undefined;
  /** Words in the title, or their beginnings; all must be there */
  readonly q?: string | undefined;
  /** Only videos with exactly this tag */
  readonly tag?: string | undefined;
  /** `-` is newest first */
  readonly sort?: '-createdAt' | 'createdAt' | 'title' | undefined;
}

export interface Pagination {
  readonly limit: number;
  /** Exact; `null` with `q` or `tag` */
  readonly total: number | null;
  readonly hasMore: boolean;
  /** The `cursor` of the next page; `null` at the end */
  readonly nextCursor: string | null;
  /** `null` when walking by cursor */
  readonly page: number | null;
  /** Exact; `null` with `q` or `tag` */
  readonly totalPages: number | null;
}

export interface Video {
  /** `vid_` and the UUID in base58 */
  readonly id: string;
  /** The same identifier as a UUID; either form is accepted everywhere */
  readonly uuid: string;
  readonly title: string;
  readonly description: string;
  readonly status: 'awaiting_upload' | 'uploading' | 'uploaded' | 'queued' | 'processing' | 'ready' | 'failed';
  /** The top quality, as bought */
  readonly quality: 'audio' | '480p' | '720p' | '1080p' | '1440p' | '2160p' | null;
  readonly addons: {
    readonly branding: boolean;
    readonly encryption: boolean;
  };
  readonly durationSeconds: number | null;
  /** Of the source as it is shown, in pixels */
  readonly width: number | null;
  /** Of the source as it is shown, in pixels */
  readonly height: number | null;
  /** Of the uploaded file */
  readonly sizeBytes: number | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly thumbnailUrl: string | null;
  /** RFC 3339, UTC, with milliseconds */
  readonly createdAt: string;
  /** RFC 3339, UTC, with milliseconds */
  readonly updatedAt: string;
  readonly readyAt: string | null;
}

export interface VideoDetail {
  /** `vid_` and the UUID in base58 */
  readonly id: string;
  /** The same identifier as a UUID; either form is accepted everywhere */
  readonly uuid: string;
  readonly title: string;
  readonly description: string;
  readonly status: 'awaiting_upload' | 'uploading' | 'uploaded' | 'queued' | 'processing' | 'ready' | 'failed';
  /** The top quality, as bought */
  readonly quality: 'audio' | '480p' | '720p' | '1080p' | '1440p' | '2160p' | null;
  readonly addons: {
    readonly branding: boolean;
    readonly encryption: boolean;
  };
  readonly durationSeconds: number | null;
  /** Of the source as it is shown, in pixels */
  readonly width: number | null;
  /** Of the source as it is shown, in pixels */
  readonly height: number | null;
  /** Of the uploaded file */
  readonly sizeBytes: number | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly thumbnailUrl: string | null;
  /** RFC 3339, UTC, with milliseconds */
  readonly createdAt: string;
  /** RFC 3339, UTC, with milliseconds */
  readonly updatedAt: string;
  readonly readyAt: string | null;
  /** Playable qualities, best first. A long video plays before all of them are made, and gains renditions until it is `ready` */
  readonly playableRungs: readonly ('audio' | '360p' | '432p' | '480p' | '720p' | '1080p' | '1440p' | '2160p')[];
  /** Pictures that play already, smallest first */
  readonly renditions: readonly Rendition[];
  /** The sound that plays with all of them: its default track, and all tracks to choose from */
  readonly audio: Audio | null;
  readonly captions: readonly Caption[];
  /** Why it failed; for a `ready` video, why bought qualities are missing */
  readonly failure: {
    readonly code: string;
    readonly message: string;
  } | null;
}

export interface Rendition {
  /** `360p` and `432p` come with every picture, free of charge */
  readonly quality: 'audio' | '360p' | '432p' | '480p' | '720p' | '1080p' | '1440p' | '2160p';
  readonly width: number | null;
  readonly height: number | null;
  /** Peak bits per second */
  readonly bitrate: number;
  /** RFC 6381 */
  readonly codecs: string;
  readonly sizeBytes: number;
}

export interface Audio {
  /** Peak bits per second */
  readonly bitrate: number;
  /** RFC 6381 */
  readonly codecs: string;
  readonly sizeBytes: number;
  /** All of them, the default first */
  readonly tracks: readonly AudioTrack[];
}

export interface AudioTrack {
  /** Peak bits per second */
  readonly bitrate: number;
  /** RFC 6381 */
  readonly codecs: string;
  readonly sizeBytes: number;
  /** BCP 47; `und` where it is not known */
  readonly language: string;
  /** Unique among the tracks of a video */
  readonly label: string;
  /** The default track */
  readonly isDefault: boolean;
  /** Audio description */
  readonly isDescription: boolean;
}

export interface Caption {
  /** BCP 47; `und` where it is not known */
  readonly language: string;
  /** Unique among the captions of a video */
  readonly label: string;
}

export interface ManifestCaption {
  /** BCP 47; `und` where it is not known */
  readonly language: string;
  /** Unique among the captions of a video */
  readonly label: string;
  /** WebVTT */
  readonly url: string;
}

export interface PlaybackToken {
  /** A JWT (EdDSA); verify it with `/.well-known/jwks.json` */
  readonly token: string;
  /** `vid_` and the UUID in base58 */
  readonly videoId: string;
  /** RFC 3339, UTC, with milliseconds */
  readonly expiresAt: string;
  /** Seconds */
  readonly expiresIn: 300;
  /** Where a player exchanges the token */
  readonly manifestUrl: string;
}

export interface Manifest {
  /** The HLS stream. Good for the whole view, for this video only */
  readonly url: string;
  readonly type: 'application/vnd.apple.mpegurl';
  /** `vid_` and the UUID in base58 */
  readonly videoId: string;
  readonly title: string;
  readonly durationSeconds: number;
  readonly posterUrl: string | null;
  /** WebVTT with thumbnails along the timeline */
  readonly storyboardUrl: string | null;
  /** WebVTT whose cues are the chapters */
  readonly chaptersUrl: string | null;
  /** Also in the stream itself */
  readonly captions: readonly ManifestCaption[];
  /** When `url` ends */
  readonly expiresAt: string;
}

export interface VideoList {
  readonly success: true;
  readonly data: readonly Video[];
  readonly pagination: Pagination;
}

export interface VideoResponse {
  readonly success: true;
  readonly data: VideoDetail;
}

export interface PlaybackTokenResponse {
  readonly success: true;
  readonly data: PlaybackToken;
}

export interface ManifestResponse {
  readonly success: true;
  readonly data: Manifest;
}
