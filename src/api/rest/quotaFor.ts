import type { PlaybackService } from '../../domain/playback/playback.service.js';
import { MintRefusal, type QuotaState } from '../../domain/playback/quota.js';

/** The quota of a key for a response that mints nothing: never a reason for that response to fail. */
export async function quotaFor(playback: PlaybackService, apiKeyText: string): Promise<QuotaState> {
  try {
    return await playback.standing(apiKeyText);
  } catch (error) {
    if (error instanceof MintRefusal) return error.quota ?? playback.unknownQuota();
    return playback.lastKnownQuota(apiKeyText);
  }
}
