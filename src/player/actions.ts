import type { DharaPlayerElement } from './api.js';
import { clock } from './time.js';

export const RATES = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];

/** Everything a viewer can do with a key, a gesture or a button. Announces effects that are not visible at once. */
export class Actions {
  constructor(
    private readonly player: DharaPlayerElement,
    private readonly say: (words: string) => void,
  ) {}

  togglePlay(): void {
    if (this.player.paused) this.player.play().catch(() => undefined);
    else this.player.pause();
  }

  seekTo(seconds: number): void {
    // The duration may not be known yet.
    this.player.currentTime = Math.max(0, Math.min(seconds, this.player.duration || Infinity));
  }

  seekBy(seconds: number): void {
    this.seekTo(this.player.currentTime + seconds);
    this.say(`${seconds > 0 ? '+' : '−'}${Math.abs(seconds)} s · ${clock(this.player.currentTime)}`);
  }

  setVolume(volume: number): void {
    this.player.volume = Math.min(1, Math.max(0, volume));
    this.player.muted = this.player.volume === 0;
  }

  changeVolume(by: number): void {
    this.setVolume(Math.round((this.player.volume + by) * 20) / 20);
    this.say(`Volume ${Math.round(this.player.volume * 100)}%`);
  }

  toggleMute(): void {
    this.player.muted = !this.player.muted;
    // Unmuting at volume 0 would still be silent.
    if (!this.player.muted && this.player.volume === 0) this.player.volume = 0.5;
    this.say(this.player.muted ? 'Muted' : 'Sound on');
  }

  setRate(rate: number): void {
    this.player.playbackRate = rate;
    this.say(`Speed ${rate}×`);
  }

  stepRate(by: 1 | -1): void {
    const rate = this.player.playbackRate;
    const next = by > 0 ? RATES.find((other) => other > rate) : [...RATES].reverse().find((other) => other < rate);
    if (next !== undefined) this.setRate(next);
  }

  toggleFullscreen(): void {
    const { video } = this.player;
    if (document.fullscreenElement) void document.exitFullscreen();
    else if (this.player.requestFullscreen) this.player.requestFullscreen().catch(() => undefined);
    // Some phones allow full screen only for the `<video>` itself.
    else (video as { webkitEnterFullscreen?: () => void }).webkitEnterFullscreen?.();
  }

  togglePip(): void {
    if (document.pictureInPictureElement) void document.exitPictureInPicture();
    else this.player.video.requestPictureInPicture().catch(() => undefined);
  }
}
