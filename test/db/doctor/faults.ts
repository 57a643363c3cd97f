import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

import { newId } from '../../../src/domain/shared/ids.js';
import { lockEscrow } from '../../../src/domain/ledger/escrow.js';
import type { DoctorScene } from './scene.js';

export interface Fault {
  /** The only check that may find anything. */
  readonly check: string;
  readonly how: string;
  /** Makes the fault by hand. Returns part of the subject that the check must name. */
  make(scene: DoctorScene): Promise<string>;
  /** What a person does about it. Without it, `--repair` must fix the fault. */
  readonly mend?: (scene: DoctorScene) => Promise<unknown>;
}

const HEX_40 = 'ab'.repeat(20);

/** Every way in which videos, uploads and objects can get stuck, made in the database and in the folders. */
export const MEDIA_FAULTS: readonly Fault[] = [
  {
    check: 'migrations',
    how: 'a migration that the database has not run',
    async make(scene) {
      const [row] = await scene.sql('select name from mikro_orm_migrations order by id desc limit 1');
      await scene.sql(`update mikro_orm_migrations set name = 'moved ' || name where name = $1`, [row!['name']]);
      return row!['name']!;
    },
    mend: (scene) => scene.sql(`update mikro_orm_migrations set name = replace(name, 'moved ', '')`),
  },
  {
    check: 'store',
    how: 'a store that cannot be written to',
    async make(scene) {
      await rename(join(scene.dataDir, 'store/incoming'), join(scene.dataDir, 'store/away'));
      return 'store';
    },
    mend: (scene) => rename(join(scene.dataDir, 'store/away'), join(scene.dataDir, 'store/incoming')),
  },
  {
    check: 'uploads-complete',
    how: 'a complete upload whose server was lost before storing it',
    make: async (scene) => (await scene.upload(10)).uploadId,
  },
  {
    check: 'uploads-complete',
    how: 'an upload that was stored but not recorded',
    async make(scene) {
      const { videoId, uploadId, accountId } = await scene.upload(10);
      await scene.app.store.putFile(
        `sources/${accountId}/${videoId}/${uploadId}`,
        scene.stagedPath({ accountId, uploadId }),
      );
      return uploadId;
    },
  },
  {
    check: 'uploads-expired',
    how: 'an expired upload with bytes in staging',
    async make(scene) {
      const { uploadId } = await scene.upload(4);
      await scene.sql(`update upload set expires_at = service_now() - interval '1 hour' where id = $1`, [uploadId]);
      return uploadId;
    },
  },
  {
    check: 'uploads-unknown',
    how: 'a staged file without an upload',
    async make(scene) {
      await scene.file(scene.stagedPath({ accountId: scene.account, uploadId: HEX_40 }), 3);
      return HEX_40;
    },
  },
  {
    check: 'uploads-unmeasured',
    how: 'a source that no worker has measured',
    make: (scene) =>
      scene.video({ status: 'uploaded', source_key: 'sources/none', updated_at: new Date(Date.now() - 1_200_000) }),
  },
  {
    check: 'attempts-without-job',
    how: 'an attempt whose job is missing from the queue',
    async make(scene) {
      const { videoId } = await scene.bought();
      await scene.sql(`delete from pgboss.job where data->>'videoId' = $1`, [videoId]);
      await scene.sql(`update processing set queued_at = queued_at - interval '5 minutes' where video_id = $1`, [
        videoId,
      ]);
      return videoId;
    },
  },
  {
    check: 'videos-without-attempt',
    how: 'a processing video without an attempt',
    make: (scene) => scene.video({ status: 'processing', updated_at: new Date(Date.now() - 300_000) }),
  },
  {
    check: 'videos-without-attempt',
    how: 'a video in early play without an attempt',
    make: (scene) =>
      scene.video({ status: 'processing', playable_rungs: ['480p'], updated_at: new Date(Date.now() - 300_000) }),
  },
  {
    check: 'queue-waiting',
    how: 'a bought video that no worker claims',
    async make(scene) {
      const { videoId } = await scene.bought();
      await scene.sql(
        `update processing set queued_at = service_now() - interval '2 hours', updated_at = service_now() - interval '2 hours'
         where video_id = $1`,
        [videoId],
      );
      return videoId;
    },
    mend: deleteOpenVideos,
  },
  {
    check: 'runs-silent',
    how: 'a run that reports nothing',
    async make(scene) {
      const job = await scene.bought();
      await scene.app.attempts.claim(job);
      await scene.sql(`update processing set updated_at = service_now() - interval '2 hours' where video_id = $1`, [
        job.videoId,
      ]);
      return job.videoId;
    },
    mend: deleteOpenVideos,
  },
  {
    check: 'chunks-stuck',
    how: 'a chunk whose worker is lost, in a run that claims no chunks',
    async make(scene) {
      const job = await scene.bought();
      await scene.app.attempts.claim(job);
      await scene.sql(
        `insert into processing_chunk (account_id, video_id, attempt, run, chunk, first_segment, end_segment, is_last,
           renditions, state, fence, reported_at)
         values ($1, $2, $3, 1, 0, 0, 30, true, '[]', 'claimed', 1, service_now() - interval '1 hour')`,
        [job.accountId, job.videoId, job.attempt],
      );
      return job.videoId;
    },
    mend: deleteOpenVideos,
  },
  {
    check: 'escrows',
    how: 'credits locked for an attempt that was never made',
    async make(scene) {
      const videoId = newId();
      await scene.app.db.transaction(({ sql }) =>
        lockEscrow(sql, {
          accountId: scene.account,
          videoId,
          attempt: 1,
          bucket: 'CREATIVE',
          amountMicros: 1_000_000n,
        }),
      );
      await scene.sql(`update escrow set created_at = created_at - interval '5 minutes' where video_id = $1`, [
        videoId,
      ]);
      return videoId;
    },
  },
  {
    check: 'work-folders',
    how: 'a folder of a killed worker',
    async make(scene) {
      const videoId = newId();
      await mkdir(join(scene.dataDir, 'work', `${scene.account}_${videoId}_1_1`), { recursive: true });
      return videoId;
    },
  },
  {
    check: 'orphan-objects',
    how: 'objects of a run that have no rows',
    async make(scene) {
      const prefix = `videos/${scene.account}/${newId()}/1-1/`;
      await scene.object(`${prefix}480p/seg_00000.m4s`);
      await scene.object(`${prefix}480p/index.m3u8`);
      return prefix;
    },
  },
  {
    check: 'orphan-objects',
    how: 'a source without a row',
    async make(scene) {
      const key = `sources/${scene.account}/${newId()}/${HEX_40}`;
      await scene.object(key);
      return key;
    },
  },
  {
    check: 'missing-objects',
    how: 'a row whose object is gone',
    async make(scene) {
      const key = `sources/${scene.account}/${newId()}/${HEX_40}`;
      await scene.sql(
        `insert into stored_object (account_id, key, video_id, size_bytes, stored_at) values ($1, $2, $3, 10, service_now())`,
        [scene.account, key, newId()],
      );
      return key;
    },
    mend: (scene) =>
      scene.sql(
        `update stored_object set removed_at = service_now(), swept_at = service_now() where key like '%' || $1 and removed_at is null`,
        [HEX_40],
      ),
  },
  {
    check: 'foreign-objects',
    how: 'an object whose name the service does not use',
    async make(scene) {
      await scene.object('videos/odd');
      return 'videos/odd';
    },
    mend: (scene) => scene.app.store.delete('videos/odd'),
  },
  {
    check: 'store-leftovers',
    how: 'half a file that a killed process was writing',
    async make(scene) {
      const name = newId();
      await scene.file(join(scene.dataDir, 'store/incoming', name), 3, 5);
      return name;
    },
  },
  {
    check: 'sweeps-overdue',
    how: 'a removed file that was not swept',
    async make(scene) {
      const videoId = newId();
      const key = `sources/${scene.account}/${videoId}/${HEX_40}`;
      await scene.object(key);
      await scene.sql(
        `insert into stored_object (account_id, key, video_id, size_bytes, stored_at, removed_at)
         values ($1, $2, $3, 10, service_now(), service_now() - interval '2 hours')`,
        [scene.account, key, videoId],
      );
      return key;
    },
  },
  {
    check: 'deletions-late',
    how: 'a deletion that missed a source and captions',
    async make(scene) {
      const videoId = await scene.video({ deleted_at: new Date(Date.now() - 2 * 86_400_000) });
      const key = `sources/${scene.account}/${videoId}/${HEX_40}`;
      await scene.object(key);
      await scene.sql(
        `insert into stored_object (account_id, key, video_id, size_bytes, stored_at) values ($1, $2, $3, 10, service_now())`,
        [scene.account, key, videoId],
      );
      await scene.sql(
        `insert into caption (account_id, video_id, id, language, label, origin, vtt, size_bytes, created_at)
         values ($1, $2, $3, 'en', 'English', 'upload', 'WEBVTT', 6, service_now())`,
        [scene.account, videoId, newId()],
      );
      return videoId;
    },
  },
];

async function deleteOpenVideos(scene: DoctorScene): Promise<void> {
  const rows = await scene.sql(`select id from video where status in ('queued', 'processing') and deleted_at is null`);
  for (const { id } of rows) await scene.app.videos.delete(scene.account, id!);
}
