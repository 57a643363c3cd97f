import { join } from 'node:path';

import type { Express } from 'express';
import type { Page } from 'playwright-core';

import { WAIT_MS } from '../../support/deadlines.js';

const MODULES = join(import.meta.dirname, '../../../node_modules');

/** Adds a page with two player libraries to a service: hls.js and shaka-player, as published. */
export function servePlayers(app: Express): void {
  app.get('/hls.js', (_req, res) => res.sendFile(join(MODULES, 'hls.js/dist/hls.js')));
  app.get('/shaka.js', (_req, res) => res.sendFile(join(MODULES, 'shaka-player/dist/shaka-player.compiled.js')));
  app.get('/players', (_req, res) => {
    res.send('<!doctype html><title>Players</title><script src="/hls.js"></script><script src="/shaka.js"></script>');
  });
}

/** What a player reported about a video, after it had shown its beginning and its end in every variant. */
export interface Played {
  readonly durationSeconds: number;
  readonly variants: number;
  readonly errors: readonly string[];
}

interface Hls {
  readonly levels: readonly { readonly height: number }[];
  loadLevel: number;
  loadSource(url: string): void;
  attachMedia(media: HTMLMediaElement): void;
  on(event: string, listener: (event: string, data: { fatal: boolean; details: string }) => void): void;
  destroy(): void;
}

/**
 * With hls.js: plays the first and the last moments of each level, each in a player of its own. After a switch by
 * `currentLevel`, hls.js 1.7 sometimes never ends the stream on a busy machine, whatever the video.
 */
export function playByHls(page: Page, url: string, durationSeconds: number): Promise<Played> {
  return page.evaluate(
    async ({ source, seconds, waitMs }) => {
      const { Hls: Player } = window as unknown as { Hls: new () => Hls };
      const errors: string[] = [];
      const played = { durationSeconds: NaN, variants: 1, errors };
      for (let level = 0; level < played.variants && errors.length === 0; level += 1) {
        const video = document.body.appendChild(document.createElement('video'));
        video.muted = true;
        const until = async (what: string, isSo: () => boolean): Promise<void> => {
          const deadline = performance.now() + waitMs;
          while (!isSo() && errors.length === 0) {
            if (performance.now() > deadline)
              errors.push(`${what} of level ${level} did not come; at ${video.currentTime} of ${video.duration} s`);
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
        };
        const hls = new Player();
        hls.on('hlsManifestParsed', () => (hls.loadLevel = level));
        // Errors from which it recovers, such as a stall on a slow machine, are no fault of the video.
        hls.on('hlsError', (_event, { fatal, details }) => {
          if (fatal) errors.push(details);
        });
        try {
          hls.loadSource(source);
          hls.attachMedia(video);
          await until('metadata', () => video.readyState >= 1);
          await video.play();
          await until('the beginning', () => video.currentTime > 0.3);
          video.currentTime = seconds - 0.5;
          await until('the end', () => video.ended);
          const height = hls.levels[level]?.height ?? 0;
          if (video.videoHeight !== height) errors.push(`${video.videoHeight} instead of ${height} lines`);
          Object.assign(played, { durationSeconds: video.duration, variants: hls.levels.length });
        } finally {
          hls.destroy();
          video.remove();
        }
      }
      return played;
    },
    { source: url, seconds: durationSeconds, waitMs: WAIT_MS },
  );
}

interface Shaka {
  attach(media: HTMLMediaElement): Promise<void>;
  load(url: string): Promise<void>;
  destroy(): Promise<void>;
  configure(name: string, value: boolean | number): void;
  getVariantTracks(): { id: number }[];
  trickPlay(rate: number, useTrickPlayTrack: boolean): void;
  cancelTrickPlay(): void;
  getNetworkingEngine(): {
    registerRequestFilter(filter: (type: number, request: { headers: Record<string, string> }) => void): void;
  };
  selectVariantTrack(track: { id: number }, clearBuffer: boolean): void;
  addEventListener(name: string, listener: (event: { detail: { code: number; message: string } }) => void): void;
}

/** The same with shaka-player. */
export function playByShaka(page: Page, url: string, durationSeconds: number): Promise<Played> {
  return page.evaluate(
    async ({ source, seconds, waitMs }) => {
      const { shaka } = window as unknown as { shaka: { Player: new () => Shaka } };
      const video = document.body.appendChild(document.createElement('video'));
      video.muted = true;
      const errors: string[] = [];
      const player = new shaka.Player();
      player.addEventListener('error', ({ detail }) => void errors.push(`${detail.code} ${detail.message}`));
      const until = async (what: string, isSo: () => boolean): Promise<void> => {
        const deadline = performance.now() + waitMs;
        while (!isSo() && errors.length === 0) {
          if (performance.now() > deadline)
            errors.push(`${what} did not come; at ${video.currentTime} of ${video.duration} s`);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      };
      try {
        await player.attach(video);
        await player.load(source);
        player.configure('abr.enabled', false);
        const tracks = player.getVariantTracks();
        for (const track of tracks) {
          player.selectVariantTrack(track, true);
          video.currentTime = 0;
          await video.play();
          await until('the beginning', () => video.currentTime > 0.3);
          video.currentTime = seconds - 0.5;
          await until('the end', () => video.ended);
        }
        return { durationSeconds: video.duration, variants: tracks.length, errors };
      } finally {
        await player.destroy();
        video.remove();
      }
    },
    { source: url, seconds: durationSeconds, waitMs: WAIT_MS },
  );
}

/** With shaka-player: scans a video's keyframes at four times its speed, then plays on. @returns what it fetched */
export function scanByShaka(
  page: Page,
  url: string,
  durationSeconds: number,
): Promise<{ ranges: string[]; errors: string[] }> {
  return page.evaluate(
    async ({ source, seconds, waitMs }) => {
      const { shaka } = window as unknown as { shaka: { Player: new () => Shaka } };
      const video = document.body.appendChild(document.createElement('video'));
      video.muted = true;
      const errors: string[] = [];
      const ranges: string[] = [];
      const player = new shaka.Player();
      player.addEventListener('error', ({ detail }) => void errors.push(`${detail.code} ${detail.message}`));
      const reaches = async (moment: number): Promise<void> => {
        const deadline = performance.now() + waitMs;
        while (video.currentTime < moment && errors.length === 0) {
          if (performance.now() > deadline) errors.push(`stands at ${video.currentTime} s, before ${moment} s`);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      };
      try {
        await player.attach(video);
        // Buffered content is not fetched again as keyframes, and a video of seconds is buffered completely before it
        // plays.
        player.configure('streaming.bufferingGoal', 1);
        await player.load(source);
        player.getNetworkingEngine().registerRequestFilter((_type, { headers }) => {
          if (headers['Range'] !== undefined) ranges.push(headers['Range']);
        });
        player.trickPlay(4, true);
        await video.play();
        await reaches(seconds - 2);
        player.cancelTrickPlay();
        await reaches(seconds - 0.5);
        return { ranges, errors };
      } finally {
        await player.destroy();
        video.remove();
      }
    },
    { source: url, seconds: durationSeconds, waitMs: WAIT_MS },
  );
}
