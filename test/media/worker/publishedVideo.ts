import { decrypted } from '../../support/encryption/scene.js';
import { quoted } from '../../support/corpus/playlist.js';
import { readStream, type Fetch, type Open, type Stream } from '../../support/corpus/stream.js';
import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import type { Pipeline } from '../../support/worker/pipeline.js';
import { bytesOf, type Video } from './storedVideo.js';

/** The currently playable parts of a video, as a player would read them. */
export function readVideo(pipeline: Pipeline, video: Video): Promise<Stream> {
  return readStream(fetchOf(pipeline, video), openOf(pipeline, video));
}

function fetchOf({ db, store }: Pipeline, { accountId, videoId }: Video): Fetch {
  const published = new PublishedMedia(db.sql);
  return async (uri) => {
    const [, captionId, kind] = /^captions\/([\w-]+)\.(m3u8|vtt)$/.exec(uri) ?? [];
    if (captionId !== undefined) {
      const { playlist, vtt } = (await published.caption(accountId, videoId, captionId))!;
      return Buffer.from(kind === 'vtt' ? vtt : playlist);
    }
    if (uri === 'master.m3u8') return Buffer.from((await published.masterPlaylist(accountId, videoId))!);
    return bytesOf({ store }, `videos/${accountId}/${videoId}/${uri}`);
  };
}

function openOf({ mediaKeys }: Pipeline, video: Video): Open {
  return async (bytes, key, playlistUri) => {
    const [attempt = 0, run = 0] = playlistUri.split('/')[0]!.split('-').map(Number);
    const [, keyIndex] = /^\.\.\/key\/(\d+)$/.exec(quoted(key.get('URI')) ?? '') ?? [];
    const found = await mediaKeys.find({ ...video, attempt, run }, Number(keyIndex));
    return decrypted(bytes, found!, Buffer.from(key.get('IV')!.slice(2), 'hex'));
  };
}
