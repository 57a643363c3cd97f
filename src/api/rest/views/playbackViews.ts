import type { Manifest, PlaybackToken } from '../../../domain/playback/playback.service.js';
import type { ManifestBody, PlaybackTokenBody } from '../schemas/playback.js';

export function playbackTokenView(token: PlaybackToken): PlaybackTokenBody {
  return {
    token: token.token,
    videoId: token.videoId,
    expiresAt: token.expiresAt.toISOString(),
    expiresIn: token.expiresInSeconds,
    manifestUrl: token.manifestUrl,
  };
}

export function manifestView(manifest: Manifest): ManifestBody {
  return {
    url: manifest.url,
    type: 'application/vnd.apple.mpegurl',
    videoId: manifest.videoId,
    title: manifest.title,
    durationSeconds: manifest.durationMs / 1000,
    posterUrl: manifest.posterUrl,
    storyboardUrl: manifest.storyboardUrl,
    chaptersUrl: manifest.chaptersUrl,
    captions: [...manifest.captions],
    expiresAt: manifest.expiresAt.toISOString(),
  };
}
