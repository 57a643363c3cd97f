import type { Database } from '../../db/sql.js';
import { toAppError } from '../../errors.js';
import { parseVideoId, videoIdOf } from '../shared/ids.js';
import { hashKey } from '../accounts/keys/keyFormat.js';
import type { FirstTokens } from './activity/firstTokens.js';
import type { ViewRecorder } from './analytics/viewRecorder.js';
import type { Visitor } from './analytics/writeViews.js';
import { DatabaseClock } from './databaseClock.js';
import { assertExchangeable, assertPlayable } from './exchangeRules.js';
import { PlaybackExplainer } from './explain/explainPlayback.js';
import type { Explanation } from './explain/explanation.js';
import { createGrant, grantExpiry } from './grants.js';
import { KnownQuotas } from './knownQuotas.js';
import { deriveKey } from '../shared/secrets/masterKey.js';
import type { Granted } from './grantedTokens.js';
import { MintQueue } from './mintQueue.js';
import { PlaybackTokens } from './playbackToken.js';
import { TOKEN_LIFETIME_SECONDS } from './signingKeys.js';
import { MintRefusal, noQuota, type QuotaState } from './quota.js';
import { SigningKeys } from './signingKeys.js';
import { secondsMovedSince, testPreviewOf, type TestToken, testTokenOf } from './testTokens.js';
import type { PageHeaders } from '../accounts/allowedSites.js';
import { type PlayableRow, PlayableVideos } from './playableVideos.js';

export interface PlaybackToken {
  readonly token: string;
  /** The `vid_` id. */
  readonly videoId: string;
  readonly expiresAt: Date;
  readonly expiresInSeconds: typeof TOKEN_LIFETIME_SECONDS;
  /** Where to exchange the token. */
  readonly manifestUrl: string;
}

export interface MintedToken {
  readonly token: PlaybackToken;
  readonly quota: QuotaState;
}

export interface MintStats {
  /** Requests for tokens, by `minted` or the code of the refusal. */
  readonly answers: ReadonlyMap<string, number>;
  /** Statements that took tokens of a quota, and the requests that shared them. */
  readonly statements: number;
  readonly requests: number;
}

export interface Manifest {
  /** The master playlist, with the grant in its path. */
  readonly url: string;
  /** The `vid_` id. */
  readonly videoId: string;
  readonly title: string;
  readonly durationMs: number;
  readonly posterUrl: string | null;
  /** WebVTT under the same grant, like all URLs below. */
  readonly storyboardUrl: string | null;
  readonly chaptersUrl: string | null;
  readonly captions: readonly { readonly language: string; readonly label: string; readonly url: string }[];
  /** When the grant expires. */
  readonly expiresAt: Date;
}

export interface PlaybackOptions {
  readonly db: Database;
  readonly masterKey: Uint8Array;
  /** Earlier master keys, to read what they encrypted. */
  readonly previousMasterKeys?: readonly Uint8Array[];
  /** `PUBLIC_URL` without a trailing slash: the issuer of tokens, and the base of manifest and media URLs. */
  readonly publicUrl: string;
  /** Base of media URLs, if it differs from `publicUrl`. */
  readonly mediaUrl?: string;
  /** Counts views. Default: nobody counts them. */
  readonly views?: Pick<ViewRecorder, 'exchanged'>;
  /** Records the first token of a day. Default: nobody does. */
  readonly firstTokens?: Pick<FirstTokens, 'minted'>;
  /** Called when the signing keys could not be reloaded. */
  readonly onError?: (error: unknown) => void;
}

/** Playback tokens and their exchange for a stream address. */
export class PlaybackService {
  private readonly mints: MintQueue;
  private readonly known = new KnownQuotas();
  private readonly answers = new Map<string, number>();
  private readonly tokens: PlaybackTokens;
  private readonly views: PlayableVideos;
  private readonly explainer: PlaybackExplainer;
  private readonly grantKey: Buffer;
  private readonly ownHost: string;

  private constructor(
    private readonly options: PlaybackOptions,
    private readonly clock: DatabaseClock,
    /** The keys that sign tokens: `rotate()` and the public key set. */
    readonly signingKeys: SigningKeys,
  ) {
    this.mints = new MintQueue(options.db.sql, clock);
    this.tokens = new PlaybackTokens(signingKeys, options.publicUrl);
    this.views = new PlayableVideos(options.db.sql);
    this.grantKey = deriveKey(options.masterKey, 'playback-grant');
    this.explainer = new PlaybackExplainer({
      ...options,
      tokens: this.tokens,
      views: this.views,
      standing: (hash) => this.mints.standing(hash),
      grantKeys: [this.grantKey, ...(options.previousMasterKeys ?? []).map((key) => deriveKey(key, 'playback-grant'))],
    });
    this.ownHost = new URL(options.publicUrl).hostname;
  }

  /** Loads the signing keys, and creates the first one in an empty database. Stop it with `close`. */
  static async open(options: PlaybackOptions): Promise<PlaybackService> {
    const clock = new DatabaseClock();
    return new PlaybackService(options, clock, await SigningKeys.open({ ...options, clock }));
  }

  close(): void {
    this.signingKeys.close();
  }

  /**
   * Takes one token of the key's daily quota and signs it for one video. Checks key, account, quota and video, in this
   * order. Only a minted token counts.
   *
   * @param videoIdText `vid_…` or a UUID
   * @throws MintRefusal: INVALID_API_KEY, ACCOUNT_SUSPENDED, RATE_LIMIT_EXCEEDED, VIDEO_NOT_FOUND, VIDEO_NOT_READY
   */
  async mint(apiKeyText: string, videoIdText: string): Promise<MintedToken> {
    try {
      const minted = await this.mintNow(apiKeyText, videoIdText);
      this.count('minted');
      return minted;
    } catch (error) {
      this.count(toAppError(error).code);
      throw error;
    }
  }

  private async mintNow(apiKeyText: string, videoIdText: string): Promise<MintedToken> {
    const hash = hashKey(apiKeyText);
    if (!hash) throw new MintRefusal('INVALID_API_KEY', 'The API key is invalid or has been revoked.', null);
    const videoId = parseVideoId(videoIdText);
    const granted = await this.mints.take(apiKeyText, hash, videoId).catch((error: unknown) => {
      if (error instanceof MintRefusal) this.known.learn(hash, error.quota);
      throw error;
    });
    this.known.learn(hash, granted.quota);
    if (videoId === null) throw new Error('No token is granted for an identifier that names no video.');
    this.options.firstTokens?.minted(granted, videoId);
    const test = await testTokenOf(this.options.db.sql, apiKeyText, granted);
    return { token: await this.sign(granted, videoId, test), quota: granted.quota };
  }

  /** What this process has done since its start. */
  get stats(): MintStats {
    const { statements, requests } = this.mints;
    return { answers: this.answers, statements, requests };
  }

  private count(answer: string): void {
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
  }

  /**
   * Reads the key's quota without taking a token.
   *
   * @throws MintRefusal: INVALID_API_KEY, ACCOUNT_SUSPENDED
   */
  async standing(apiKeyText: string): Promise<QuotaState> {
    const hash = hashKey(apiKeyText);
    if (!hash) throw new MintRefusal('INVALID_API_KEY', 'The API key is invalid or has been revoked.', null);
    const standing = await this.mints.standing(hash);
    const refusal = standing.refusal();
    this.known.learn(hash, refusal ? refusal.quota : standing.quota());
    if (refusal) throw refusal;
    return standing.quota();
  }

  /**
   * The last quota that this process saw for the key; an empty quota if it never saw one. Does not query the database.
   */
  lastKnownQuota(apiKeyText: string): QuotaState {
    const hash = hashKey(apiKeyText);
    return (hash && this.known.of(hash, this.clock.nowEpochSeconds())) ?? this.unknownQuota();
  }

  /**
   * Creates a token for the account's own dashboard: no key, no quota.
   *
   * @param videoIdText `vid_…` or a UUID
   * @throws ACCOUNT_SUSPENDED, VIDEO_NOT_FOUND, VIDEO_NOT_READY
   */
  async previewToken(accountId: string, videoIdText: string): Promise<PlaybackToken> {
    const videoId = parseVideoId(videoIdText);
    const row = assertPlayable(await this.views.find({ accountId, videoId, keyId: null }));
    const test = await testPreviewOf(this.options.db.sql, accountId);
    return this.sign({ accountId, keyId: null, nowEpochSeconds: Math.floor(row.now_epoch) }, row.id, test);
  }

  /**
   * Exchanges a token for the stream's address. The same token always gives the same view and the same grant.
   *
   * @param page the browser's headers about the requesting page, for accounts with allowed sites
   * @param visitor who asks; `null` if this is not a view
   * @throws INVALID_PLAYBACK_TOKEN, also if the token's key has been revoked since; PLAYBACK_TOKEN_EXPIRED,
   *   ACCOUNT_SUSPENDED, DOMAIN_NOT_ALLOWED, VIDEO_NOT_FOUND, VIDEO_NOT_READY
   */
  async manifest(tokenText: string, page: PageHeaders = {}, visitor: Visitor | null = null): Promise<Manifest> {
    const claims = await this.tokens.verify(tokenText);
    const [found, moved] = await Promise.all([this.views.find(claims), secondsMovedSince(this.options.db.sql, claims)]);
    const seen = found && moved !== 0 ? { ...found, now_epoch: found.now_epoch + moved } : found;
    const row = assertExchangeable({ claims, row: seen, page, ownHost: this.ownHost });

    const durationMs = Number(row.duration_ms);
    if (visitor !== null) {
      const { accountId, viewId, keyId, testClockSeconds } = claims;
      const mintedAtEpochSeconds = claims.expiresAt - TOKEN_LIFETIME_SECONDS;
      this.options.views?.exchanged({
        accountId,
        viewId,
        videoId: row.id,
        keyId,
        mintedAtEpochSeconds,
        exchangedAtEpochSeconds: row.now_epoch - moved,
        testClockSeconds,
        durationMs,
        visitor,
      });
    }
    const endsAt = grantExpiry(claims.expiresAt, durationMs);
    const expiresAtEpochSeconds = endsAt + (claims.testClockSeconds ?? 0);
    const grant = createGrant(this.grantKey, { ...claims, expiresAtEpochSeconds });
    const videoId = videoIdOf(row.id);
    const base = `${this.options.mediaUrl ?? this.options.publicUrl}/media/${grant}/${videoId}`;
    return {
      url: `${base}/master.m3u8`,
      videoId,
      title: row.title,
      durationMs,
      posterUrl: row.poster_path === null ? null : `${this.options.publicUrl}/${row.poster_path}`,
      storyboardUrl: row.storyboard_path === null ? null : `${base}/${runOf(row)}/${row.storyboard_path}`,
      chaptersUrl: row.has_chapters ? `${base}/chapters.vtt` : null,
      captions: (row.captions ?? []).map(({ id, ...track }) => ({ ...track, url: `${base}/captions/${id}.vtt` })),
      expiresAt: new Date((endsAt - moved) * 1000),
    };
  }

  /** See {@link PlaybackExplainer.explain}. */
  explain(accountId: string, text: string, site: string | null = null): Promise<Explanation> {
    return this.explainer.explain(accountId, text, site);
  }

  /** Keys with mints in flight in this process. */
  get keysInFlight(): number {
    return this.mints.size;
  }

  /** The quota headers for an unrecognized key. */
  unknownQuota(): QuotaState {
    return noQuota(this.clock.nowEpochSeconds());
  }

  private async sign(
    { accountId, keyId, nowEpochSeconds }: Pick<Granted, 'accountId' | 'nowEpochSeconds'> & { keyId: string | null },
    videoUuid: string,
    test: TestToken | null,
  ): Promise<PlaybackToken> {
    const createdEpochSeconds = nowEpochSeconds - (test?.ageSeconds ?? 0);
    const key = this.signingKeys.freshSignerAt(nowEpochSeconds) ?? (await this.signingKeys.signerAt(nowEpochSeconds));
    const videoId = videoIdOf(videoUuid);
    const { publicUrl } = this.options;
    const token = this.tokens.sign(key, {
      accountId,
      keyId,
      videoId: videoUuid,
      publicId: videoId,
      nowEpochSeconds: createdEpochSeconds,
      testClockSeconds: test?.clockSeconds ?? null,
    });
    return {
      token,
      videoId,
      expiresAt: new Date((createdEpochSeconds + TOKEN_LIFETIME_SECONDS) * 1000),
      expiresInSeconds: TOKEN_LIFETIME_SECONDS,
      manifestUrl: `${publicUrl}/v1/video/playback/manifest/${token}`,
    };
  }
}

/** The last part of the prefix under which the pictures are stored. */
function runOf(row: PlayableRow): string {
  return row.pictures_prefix?.split('/').at(-2) ?? '';
}
