import { parseVideoId, videoIdOf } from '../../src/domain/shared/ids.js';
import type { Scene } from './scene.js';

/** What is measured of a minute of 720p with sound. */
export const PROBE = {
  container: 'mp4',
  durationMs: 60_000,
  sizeBytes: 1000,
  video: {
    displayWidth: 1280,
    displayHeight: 720,
    frameRate: { numerator: 25, denominator: 1 },
    tickRate: { numerator: 25, denominator: 1 },
  },
  audio: { channels: 2 },
};

/** A video of the demo user that was just uploaded, and the worker's next steps. There is no file. */
export class SeededVideo {
  private constructor(
    private readonly scene: Scene,
    private readonly id: string,
    readonly title: string,
  ) {}

  static async create(scene: Scene): Promise<SeededVideo> {
    const title = `Just uploaded ${crypto.randomUUID().slice(0, 8)}`;
    const { rows } = await scene.database.query<{ id: string }>(
      `insert into video (account_id, id, title, status, source_key, size_bytes)
        select account_id, gen_random_uuid(), $1, 'uploaded', 'sources/none', 1000 from video where id = $2 returning id`,
      [title, parseVideoId(scene.demo.videoId)],
    );
    return new SeededVideo(scene, rows[0]!.id, title);
  }

  get path(): string {
    return `/videos/${videoIdOf(this.id)}`;
  }

  /** The captions and chapters of its file: a forced track and two chapters. */
  async takeCaptions(): Promise<void> {
    const chapters = ['The spring', 'The mouth'].map((title, n) => ({ startMs: n * 30_500, title, origin: 'source' }));
    await this.scene.database.query(
      `with video as (update video set chapters = $2 where id = $1 returning account_id, id)
      insert into caption (account_id, video_id, id, language, label, origin, vtt, is_forced, size_bytes, created_at)
        select account_id, id, gen_random_uuid(), 'hi', 'हिन्दी (forced)', 'source', 'WEBVTT', true, 2400, now() from video`,
      [this.id, JSON.stringify(chapters)],
    );
  }

  /** Changes its status as its processing would, and notifies subscribers. */
  become(status: 'processing' | 'ready' | 'failed'): Promise<void> {
    return this.change('status = $2', status);
  }

  /** Measures it as a minute of 720p, and notifies subscribers. */
  measure(): Promise<void> {
    return this.change('duration_ms = 60000, width = 1280, height = 720, source_probe = $2', JSON.stringify(PROBE));
  }

  private async change(columns: string, value: string): Promise<void> {
    await this.scene.database.query(
      `with changed as (update video set ${columns}, updated_at = now() where id = $1 returning account_id, id)
      select pg_notify('dhara_events',
        json_build_object('kind', 'video', 'accountId', account_id, 'videoId', id)::text) from changed`,
      [this.id, value],
    );
  }
}
