import { type GrantClaims, verifyGrantByAny } from '../../domain/playback/grants.js';
import { parseVideoId } from '../../domain/shared/ids.js';
import { SizedLru } from '../../domain/shared/sizedLru.js';

/** One per viewer, who requests about a thousand files with one grant. This many take a few megabytes. */
const MAX_KNOWN = 20_000;

/** What a valid grant opens. */
export interface OpenGrant extends GrantClaims {
  /** UUID */
  readonly videoId: string;
}

/**
 * A grant as the service's clock sees it. Grants of test mode expire by the clock of their account, which its owner moves.
 *
 * @returns `null` if it has expired
 */
export function byServiceClock(grant: OpenGrant, movedSeconds: number, nowEpochSeconds: number): OpenGrant | null {
  if (movedSeconds === 0) return grant;
  const expiresAt = grant.expiresAt - movedSeconds;
  return expiresAt > nowEpochSeconds ? { ...grant, expiresAt } : null;
}

/** Verifies grants. For grants known to be valid, only the expiry is checked again. */
export class OpenGrants {
  private readonly known = new SizedLru<OpenGrant>(MAX_KNOWN);

  /** @param keys the current key first, then those of earlier master keys */
  constructor(
    private readonly keys: readonly Uint8Array[],
    private readonly nowEpochSeconds: () => number,
  ) {}

  /** @param video `vid_…`, as in the URL. @returns `null` if the grant does not open this video */
  open(grant: string, video: string): OpenGrant | null {
    const name = `${grant}/${video}`;
    const known = this.known.get(name);
    if (known) return known.expiresAt > this.nowEpochSeconds() ? known : null;
    const videoId = parseVideoId(video);
    if (videoId === null) return null;
    const claims = verifyGrantByAny(this.keys, grant, videoId, this.nowEpochSeconds());
    if (claims === null) return null;
    const open = { ...claims, videoId };
    this.known.set(name, open, 1);
    return open;
  }
}
