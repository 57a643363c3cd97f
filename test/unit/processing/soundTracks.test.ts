import { expect, test } from 'vitest';

import { LOUDNESS_TARGET, renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import { soundTracks } from '../../../src/domain/media/pipeline/soundTracks.js';
import type { SourceAudio } from '../../../src/ports/transcoder.js';

const SOUND: SourceAudio = {
  streamIndex: 1,
  codec: 'aac',
  channels: 2,
  channelLayout: 'stereo',
  sampleRate: 48_000,
  bitrateBps: null,
  startsAfterMs: 0,
};

function tracksOf(...audios: Partial<SourceAudio>[]) {
  const sounds = audios.map((audio) => ({ ...SOUND, ...audio }));
  return soundTracks({ audio: sounds[0] ?? null, audios: sounds });
}

test('a track is named by its title, its language or its number', () => {
  const tracks = tracksOf(
    { language: 'eng' },
    { language: 'deu', isCommentary: true },
    { language: 'fra', isDescription: true },
    { language: 'pt-br', title: 'Dublagem\n"nova"' },
    { language: 'no language at all' },
  );
  expect(tracks).toEqual([
    { track: 1, language: 'en', label: 'English', isDescription: false },
    { track: 2, language: 'de', label: 'Deutsch (commentary)', isDescription: false },
    { track: 3, language: 'fr', label: 'Français (audio description)', isDescription: true },
    { track: 4, language: 'pt-BR', label: 'Dublagem "nova"', isDescription: false },
    { track: 5, language: 'und', label: 'Track 5', isDescription: false },
  ]);
});

test('a language tag with extensions is named by its language', () => {
  const labels = tracksOf({ language: 'en-x-foo' }, { language: 'de-u-co-phonebk' }, { language: 'und-x-a' });
  expect(labels.map(({ label }) => label)).toEqual(['English', 'Deutsch', 'Track 3']);
});

test('all tracks have different names', () => {
  const labels = tracksOf({ language: 'eng' }, { language: 'en' }, { title: 'English' }, {}).map(({ label }) => label);
  expect(labels).toEqual(['English', 'English 2', 'English 3', 'Track 4']);
});

test('a video measured before there were several tracks has one', () => {
  expect(soundTracks({ audio: SOUND })).toEqual([{ track: 1, language: 'und', label: 'Main', isDescription: false }]);
  expect(soundTracks({ audio: null })).toEqual([]);
});

test('each track is a rendition, and all are normalized if loudness normalization was chosen', () => {
  const source = { video: null, audio: SOUND, audios: [SOUND, SOUND] };
  const plain = { quality: 'audio', bitrateBps: 128_000, sampleRate: 48_000 };
  expect(renditionsFor('480p', source)).toEqual([
    { ...plain, track: 1 },
    { ...plain, track: 2 },
  ]);
  const even = renditionsFor('audio', source, { normalizeLoudness: true });
  expect(even.map((rendition) => rendition.quality === 'audio' && rendition.loudness)).toEqual([
    LOUDNESS_TARGET,
    LOUDNESS_TARGET,
  ]);
});
