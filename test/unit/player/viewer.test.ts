import { describe, expect, it } from 'vitest';

import { Actions, RATES } from '../../../src/player/actions.js';
import type { DharaPlayerElement } from '../../../src/player/api.js';
import { clock, spoken } from '../../../src/player/time.js';
import { cueAt, parseVtt } from '../../../src/player/vtt.js';

describe('times in the player', () => {
  it.each([
    [0, '0:00', '0 seconds'],
    [Number.NaN, '0:00', '0 seconds'],
    [-3, '0:00', '0 seconds'],
    [61.9, '1:01', '1 minute 1 second'],
    [3_600, '1:00:00', '1 hour'],
    [7_325, '2:02:05', '2 hours 2 minutes 5 seconds'],
  ])('%d seconds are %s, and %s for screen readers', (seconds, shown, words) => {
    expect([clock(seconds), spoken(seconds)]).toEqual([shown, words]);
  });
});

describe('WebVTT in the player', () => {
  it('has the cues of the file in its order, and nothing else', () => {
    const source =
      'WEBVTT\r\n\r\nNOTE --> is no time\r\n\r\n1\r\n00:01.000 --> 00:02.500 align:start\r\nOne\r\nline\r\n\r\n1:00:00.000 --> 1:00:01.000\nLate\n\n00:05.000 --> 00:04.000\nBackwards\n\nno cue';
    const cues = parseVtt(source);
    expect(cues).toEqual([
      { startSeconds: 1, endSeconds: 2.5, text: 'One\nline' },
      { startSeconds: 3_600, endSeconds: 3_601, text: 'Late' },
    ]);
    expect([0.9, 1, 2.4, 2.5].map((seconds) => cueAt(cues, seconds)?.text)).toEqual([
      undefined,
      'One\nline',
      'One\nline',
      undefined,
    ]);
  });
});

describe('a viewer', () => {
  function playing(state: Partial<DharaPlayerElement> = {}) {
    const calls: string[] = [];
    const player = {
      paused: true,
      currentTime: 50,
      duration: 100,
      volume: 0.5,
      muted: false,
      playbackRate: 1,
      play: () => Promise.resolve(void calls.push('play')),
      pause: () => void calls.push('pause'),
      ...state,
    } as DharaPlayerElement;
    const said: string[] = [];
    return { player, said, calls, actions: new Actions(player, (words) => said.push(words)) };
  }

  it('seeks within the video, also before its duration is known', () => {
    const { player, said, actions } = playing();
    actions.seekBy(10);
    expect([player.currentTime, said.at(-1)]).toEqual([60, '+10 s · 1:00']);
    actions.seekBy(-100);
    expect([player.currentTime, said.at(-1)]).toEqual([0, '−100 s · 0:00']);
    actions.seekTo(1_000);
    expect(player.currentTime).toBe(100);
    const early = playing({ duration: Number.NaN });
    early.actions.seekTo(70);
    expect(early.player.currentTime).toBe(70);
  });

  it('changes the volume in steps between silent and full, and hears something after unmuting', () => {
    const { player, said, actions } = playing({ volume: 0.97 });
    actions.changeVolume(0.05);
    expect([player.volume, player.muted, said.at(-1)]).toEqual([1, false, 'Volume 100%']);
    actions.setVolume(-1);
    expect([player.volume, player.muted]).toEqual([0, true]);
    actions.toggleMute();
    expect([player.volume, player.muted, said.at(-1)]).toEqual([0.5, false, 'Sound on']);
    actions.toggleMute();
    expect([player.muted, said.at(-1)]).toEqual([true, 'Muted']);
  });

  it('steps through the speeds, and stays at the slowest and the fastest', () => {
    const { player, said, actions } = playing();
    const steps = (by: 1 | -1) => RATES.map(() => (actions.stepRate(by), player.playbackRate));
    expect(steps(1)).toEqual([1.25, 1.5, 1.75, 2, 2, 2, 2]);
    expect(said.at(-1)).toBe('Speed 2×');
    expect(steps(-1)).toEqual([1.75, 1.5, 1.25, 1, 0.75, 0.5, 0.5]);
    player.playbackRate = 1.1;
    actions.stepRate(1);
    expect(player.playbackRate).toBe(1.25);
  });

  it('plays and pauses', () => {
    const { player, calls, actions } = playing();
    actions.togglePlay();
    Object.assign(player, { paused: false });
    actions.togglePlay();
    expect(calls).toEqual(['play', 'pause']);
  });
});
