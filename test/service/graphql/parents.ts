import { newId } from '../../../src/domain/shared/ids.js';
import { openFundedAccount } from '../../support/accounts.js';
import type { GraphqlService } from './service.js';

/** A measured video without a file, for everything but processing. Returns its UUID. */
export async function paperVideo(
  service: GraphqlService,
  accountId: string,
  { title = 'A video', durationMs = 60_000, height = 720, colorTransfer = 'bt709' } = {},
): Promise<string> {
  const id = newId();
  const probe = {
    container: 'mp4',
    durationMs,
    sizeBytes: 1000,
    video: {
      displayWidth: Math.round((height * 16) / 9),
      displayHeight: height,
      frameRate: { numerator: 25, denominator: 1 },
      tickRate: { numerator: 25, denominator: 1 },
      variableFrameRate: false,
      colorTransfer,
    },
    audio: { channels: 2 },
  };
  await service.admin.query(
    `insert into video (account_id, id, title, status, duration_ms, source_probe, source_key, size_bytes)
      values ($1, $2, $3, 'uploaded', $4, $5, 'sources/none', 1000)`,
    [accountId, id, title, durationMs, JSON.stringify(probe)],
  );
  return id;
}

/** A playable video with two renditions. */
export async function readyVideo(service: GraphqlService, accountId: string): Promise<string> {
  const id = await paperVideo(service, accountId);
  await service.admin.query(
    `update video set status = 'ready', playable_rungs = '{480p,audio}', pictures_prefix = 'videos/x/',
      quality = '480p', ready_at = service_now() where id = $1`,
    [id],
  );
  for (const quality of ['audio', '480p']) {
    await service.admin.query(
      `insert into rendition (account_id, video_id, quality, bitrate, average_bitrate, codecs, size_bytes, path, prefix)
        values ($1, $2, $3, 1000, 900, 'mp4a.40.2', 5, 'x', 'videos/x/')`,
      [accountId, id, quality],
    );
  }
  return id;
}

export async function credits(
  service: GraphqlService,
  accountId: string,
  amounts: { masterMicros?: bigint; creativeMicros?: bigint },
): Promise<void> {
  await openFundedAccount(service.services.db, { accountId, ...amounts });
}
