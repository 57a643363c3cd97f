import type { PlaybackService } from '../../domain/playback/playback.service.js';
import { MintRefusal, type QuotaState } from '../../domain/playback/quota.js';

/** Returns a key's quota for a response that mints nothing. Never throws, so the response cannot fail because of it. */
export async function quotaFor(playback: PlaybackService, apiKeyText: string): Promise<QuotaState> {
  try {
    return await playback.standing(apiKeyText);
  } catch (error) {
    if (error instanceof MintRefusal) return error.quota ?? playback.unknownQuota();
    return playback.lastKnownQuota(apiKeyText);
  }
}
