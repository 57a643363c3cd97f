import { newId } from '../../../src/domain/shared/ids.js';
import { Keyring } from '../../../src/domain/shared/secrets/keyring.js';
import { contextOf } from '../../../src/domain/media/keys/mediaKeys.service.js';
import { fundWallet } from '../accounts.js';
import type { Side } from './side.js';

const CREDIT = 1_000_000n;
export const MEDIA_KEY = Buffer.from('0123456789abcdef');

export interface Library {
  readonly accountId: string;
  readonly apiKey: string;
  readonly ready: string;
  readonly processing: string;
  readonly uploaded: string;
  readonly inBin: string;
  readonly withoutFile: string;
  readonly endpointId: string;
  readonly endpointSecret: string;
}

/** An account with a video of every kind, keys, captions, an endpoint, settings and credits. */
export async function fillLibrary(side: Side): Promise<Library> {
  const accountId = await side.account();
  await fundWallet(side.db, accountId, { MASTER: 40n * CREDIT, CREATIVE: 7n * CREDIT + 5n });
  const { key: apiKey } = await side.keys.create(accountId, { name: 'Web “site”' });
  const second = await side.keys.create(accountId, { name: 'Old' });
  await side.keys.revoke(accountId, second.record.id);
  await side.query(`update account set allowed_domains = '{example.com,*.example.org}' where id = $1`, accountId);
  await side.query(
    `insert into automatic_allocation (account_id, bucket, enabled, updated_at) values ($1, 3, false, now())`,
    accountId,
  );
  await side.query(
    `insert into billing_details (account_id, legal_name, address_lines, country, updated_at) values ($1, 'Owner Ltd', '{"1, A Street"}', 'IN', now())`,
    accountId,
  );
  const ready = await addVideo(side, accountId, {
    status: 'ready',
    title: 'Ready 🎬  "quoted" \\ line',
    renditions: ['480p', 'audio'],
  });
  const processing = await addVideo(side, accountId, { status: 'processing', title: 'Half', renditions: ['480p'] });
  const uploaded = await addVideo(side, accountId, { status: 'uploaded', title: 'Only a source', renditions: [] });
  const inBin = await addVideo(side, accountId, { status: 'ready', title: 'In the bin', renditions: ['480p'] });
  await side.query(
    `update video set deleted_at = now(), purge_after = now() + interval '7 days' where account_id = $1 and id = $2`,
    accountId,
    inBin,
  );
  const withoutFile = newId();
  await side.query(`insert into video (account_id, id, title) values ($1, $2, 'No file yet')`, accountId, withoutFile);
  await side.captions.upload(accountId, ready, {
    language: 'en',
    label: 'English',
    text: 'WEBVTT\n\n00:00.000 --> 00:02.000\nHello, “you”\n',
  });
  const keyring = new Keyring(side.masterKeys, 'media-key');
  const place = contextOf({ accountId, videoId: ready, attempt: 1, run: 1 }, 0);
  const { masterKeyId, sealed } = keyring.seal(MEDIA_KEY, place);
  await side.query(
    `insert into media_key (account_id, video_id, attempt, run, key_index, master_key_id, sealed, created_at)
     values ($1, $2, 1, 1, 0, $3, $4, now())`,
    accountId,
    ready,
    masterKeyId,
    sealed,
  );
  await side.query(`insert into notification_choice values ($1, 'video.ready', false, true)`, accountId);
  const { endpoint, secret } = await side.webhooks.create(accountId, {
    url: 'https://hooks.example.com/dhara',
    description: 'Orders',
    eventTypes: ['video.ready'],
  } as never);
  return {
    accountId,
    apiKey,
    ready,
    processing,
    uploaded,
    inBin,
    withoutFile,
    endpointId: endpoint.id,
    endpointSecret: secret,
  };
}

export async function addVideo(
  side: Side,
  accountId: string,
  { status, title, renditions }: { status: string; title: string; renditions: readonly string[] },
): Promise<string> {
  const id = newId();
  const source = `sources/${accountId}/${id}/upload`;
  const prefix = `videos/${accountId}/${id}/1-1/`;
  const poster = `posters/${accountId}/${id}/chosen.jpg`;
  const isMade = renditions.length > 0;
  await side.query(
    `insert into video (account_id, id, title, description, status, tags, metadata, quality, duration_ms, width, height,
       size_bytes, source_key, source_probe, attempt, playable_rungs, pictures_prefix, poster_path, poster_key, chapters,
       auto_process, ready_at)
     values ($1, $2, $3, 'About it', $4, '{a,"b c"}', '{"k":"v"}', '480p', 9007199254740993, 854, 480,
       12, $5, '{"container":"mp4"}', $6, $7, $8, $9, $10, '[{"startMs":0,"title":"One"}]', true, now())`,
    accountId,
    id,
    title,
    status,
    source,
    isMade ? 1 : 0,
    [...renditions],
    isMade ? prefix : null,
    isMade ? `media/posters/${accountId}/x.jpg` : null,
    isMade ? poster : null,
  );
  const files: Record<string, string> = { [source]: `source of ${title}` };
  if (isMade) {
    files[poster] = 'a picture';
    files[`${prefix}poster.jpg`] = 'another';
    files[`${prefix}preview.webp`] = '';
  }
  for (const quality of renditions) {
    files[`${prefix}${quality}/index.m3u8`] = `#EXTM3U ${title}`;
    files[`${prefix}${quality}/seg_00000.m4s`] = 'x'.repeat(70_000);
    await side.query(
      `insert into rendition (account_id, video_id, quality, track, is_description, bitrate, average_bitrate, codecs,
         frame_rate, size_bytes, prefix, path)
       values ($1, $2, $3, 1, false, 800000, 700000, 'avc1', 29.97, 70020, $4, $5)`,
      accountId,
      id,
      quality,
      prefix,
      `${quality}/index.m3u8`,
    );
  }
  for (const [key, content] of Object.entries(files)) await side.put(key, content);
  const units = [
    source,
    ...(isMade ? [poster, `${prefix}poster.jpg`] : []),
    ...renditions.map((one) => `${prefix}${one}/`),
  ];
  for (const key of units) {
    await side.query(
      `insert into stored_object (account_id, key, video_id, size_bytes, stored_at) values ($1, $2, $3, 100, now())`,
      accountId,
      key,
      id,
    );
  }
  return id;
}
