import { type GrantClaims, verifyGrant } from '../../domain/playback/grants.js';
import { parseVideoId } from '../../domain/shared/ids.js';
import { SizedLru } from '../../domain/shared/sizedLru.js';

/** A player asks for a thousand files with one grant; this is what so many viewers at once take, in some megabytes. */
const MAX_KNOWN = 20_000;

/** What a grant that is valid opens. */
export interface OpenGrant extends GrantClaims {
  /** UUID */
  readonly videoId: string;
}

/** Checks grants, those that were found valid only for their end. */
export class OpenGrants {
  private readonly known = new SizedLru<OpenGrant>(MAX_KNOWN);

  /** @param keys the current one first; those of master keys of before */
  constructor(
    private readonly keys: readonly Uint8Array[],
    private readonly nowEpochSeconds: () => number,
  ) {}

  /** @param video `vid_…`, as it stands in the address. @returns `null` for a grant that opens nothing of it */
  open(grant: string, video: string): OpenGrant | null {
    const name = `${grant}/${video}`;
    const known = this.known.get(name);
    if (known) return known.expiresAt > this.nowEpochSeconds() ? known : null;
    const videoId = parseVideoId(video);
    if (videoId === null) return null;
    for (const key of this.keys) {
      const claims = verifyGrant(key, grant, videoId, this.nowEpochSeconds());
      if (claims === null) continue;
      const open = { ...claims, videoId };
      this.known.set(name, open, 1);
      return open;
    }
    return null;
  }
}
