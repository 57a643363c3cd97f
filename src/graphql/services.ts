import type { KeyService } from '../domain/keys/keys.service.js';
import type { ProcessingService } from '../domain/processing/processing.service.js';
import type { SupportService } from '../domain/support/support.service.js';
import type { VideoService } from '../domain/videos/video.service.js';
import type { VideoPartsService } from '../domain/videos/videoParts.js';
import type { WalletService } from '../domain/wallet/wallet.service.js';
import type { LiveEvents } from '../ports/events.js';

/** A token for watching an own video; it counts against no key. */
export interface PreviewTokens {
  /** @throws VIDEO_NOT_FOUND, VIDEO_NOT_READY, ACCOUNT_SUSPENDED */
  previewToken(accountId: string, videoId: string): Promise<{ token: string; expiresAt: Date }>;
}

/** The services that resolvers call. */
export interface GraphqlServices {
  readonly videos: VideoService;
  readonly videoParts: VideoPartsService;
  readonly processing: ProcessingService;
  readonly playback: PreviewTokens;
  readonly wallet: WalletService;
  readonly keys: KeyService;
  readonly support: SupportService;
  readonly events: LiveEvents;
}
