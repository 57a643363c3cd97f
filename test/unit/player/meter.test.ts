import { describe, expect, it } from 'vitest';

import { Meter, type Screen } from '../../../src/player/analytics/meter.js';

const TICK_MS = 250;

/** A `<video>` without a browser: its position follows a clock, and it dispatches the events of real ones. */
class FakeVideo {
  nowMs = 5_000;
  readonly screen = {
    currentTime: 0,
    duration: 120,
    ended: false,
    loop: false,
    paused: true,
    playbackRate: 1,
    seeking: false,
    videoHeight: 0,
  } satisfies Screen as { -readonly [Name in keyof Screen]: Screen[Name] };
  readonly meter = new Meter(this.screen, () => this.nowMs);

  get facts() {
    return this.meter.facts!;
  }

  take(...types: string[]): this {
    for (const type of types) this.meter.take(type);
    return this;
  }

  /** Lets time pass without motion. */
  wait(ms: number): this {
    this.nowMs += ms;
    return this;
  }

  /** From the click to the first frame. */
  start(startupMs = 800): this {
    this.meter.wish(this.nowMs);
    this.wait(startupMs);
    return this.resume();
  }

  resume(): this {
    this.screen.paused = false;
    return this.take('play', 'playing');
  }

  /** Lets the picture move, and tells it four times a second as browsers do. */
  move(ms: number): this {
    for (let leftMs = ms; leftMs > 0; leftMs -= TICK_MS) {
      this.pass(Math.min(leftMs, TICK_MS));
      this.take('timeupdate');
    }
    return this;
  }

  /** Lets the picture move without telling. */
  pass(ms: number): this {
    this.nowMs += ms;
    this.screen.currentTime += (ms * this.screen.playbackRate) / 1000;
    return this;
  }

  pause(): this {
    this.screen.paused = true;
    return this.take('pause');
  }

  /** Begins a seek, or finishes it after `ms` if the data was not there. */
  seek(seconds: number, ms = 0): this {
    this.screen.currentTime = seconds;
    this.screen.seeking = true;
    this.take('seeking');
    if (ms > 0) this.take('waiting').wait(ms);
    this.screen.seeking = false;
    return this.take('seeked', ...(this.screen.paused ? [] : ['playing']));
  }
}

describe('the meter of a view', () => {
  it('reports nothing before anyone wanted to play', () => {
    const video = new FakeVideo();
    video.take('resize', 'timeupdate', 'pagehide').meter.rest();
    expect(video.meter.facts).toBeNull();
  });

  it('has a wish but no startup if the viewer leaves before the first frame', () => {
    const video = new FakeVideo();
    video.meter.wish(video.nowMs);
    video.wait(3_000).take('pagehide');
    expect(video.facts).toMatchObject({ startupMs: null, watchedMs: 0, stalls: 0, ranges: [] });
  });

  it('measures the startup from the wish to the first frame, and counts no stall before it', () => {
    const video = new FakeVideo();
    video.meter.wish(video.nowMs);
    video.wait(300);
    video.screen.paused = false;
    video.take('play', 'waiting').wait(500).take('playing').move(1_000);
    expect(video.facts).toMatchObject({ startupMs: 800, stalls: 0, stalledMs: 0 });
  });

  it('measures the startup from the `play` event if the stream was loaded before', () => {
    const video = new FakeVideo();
    video.wait(60_000);
    video.screen.paused = false;
    video.take('play').wait(40).take('playing');
    expect(video.facts.startupMs).toBe(40);
  });

  it('starts the clock again at the second click if the browser refused the first', () => {
    const video = new FakeVideo();
    video.meter.wish(video.nowMs);
    video.wait(500).meter.unwish();
    expect(video.meter.facts).toBeNull();
    expect(video.wait(60_000).start(200).facts.startupMs).toBe(200);
  });

  it('counts the time in which the picture moves, at any speed', () => {
    const video = new FakeVideo().start().move(10_000);
    video.screen.playbackRate = 2;
    video.take('ratechange').move(5_000);
    video.pause().wait(60_000).resume().move(1_000);
    expect(video.facts).toMatchObject({ watchedMs: 16_000, stalledMs: 0, stalls: 0, ranges: [[0, 22_000]] });
  });

  it('counts what was watched since the last `timeupdate` when it pauses, seeks or ends', () => {
    const video = new FakeVideo().start().move(1_000).pass(200).seek(60).move(1_000).pass(100).pause();
    expect(video.facts).toMatchObject({
      watchedMs: 2_300,
      ranges: [
        [0, 1_200],
        [60_000, 61_100],
      ],
    });
  });

  it('does not count a seek as a stall, even if the data is not there', () => {
    const video = new FakeVideo().start().move(2_000).seek(60, 4_000).move(2_000);
    expect(video.facts).toMatchObject({ watchedMs: 4_000, stalls: 0, stalledMs: 0 });
  });

  it('does not count what the viewer skips while it is paused', () => {
    const video = new FakeVideo().start().move(2_000).pause().seek(30).wait(500).seek(90).resume().move(1_000);
    expect(video.facts).toMatchObject({
      watchedMs: 3_000,
      stalls: 0,
      ranges: [
        [0, 2_000],
        [90_000, 91_000],
      ],
    });
  });

  it('counts each stall from `waiting` to `playing`', () => {
    const video = new FakeVideo().start().move(2_000);
    video.take('waiting').wait(1_500).take('playing').move(1_000);
    video.take('waiting').wait(500).take('playing').move(1_000);
    expect(video.facts).toMatchObject({ watchedMs: 4_000, stalls: 2, stalledMs: 2_000, ranges: [[0, 4_000]] });
  });

  it('counts no stall that is too short to be noticed', () => {
    const video = new FakeVideo().start().move(2_000);
    video.take('waiting').wait(99).take('playing').move(1_000);
    video.take('waiting').wait(60).take('pagehide').wait(60).take('playing').move(1_000);
    expect(video.facts).toMatchObject({ stalls: 1, stalledMs: 120 });
  });

  it('ends a stall when the viewer pauses or seeks', () => {
    const video = new FakeVideo().start().move(2_000);
    video.take('waiting').wait(700).pause().wait(60_000).resume().move(1_000);
    video.take('waiting').wait(300).seek(60, 5_000).move(1_000);
    expect(video.facts).toMatchObject({ stalls: 2, stalledMs: 1_000, watchedMs: 4_000 });
  });

  it('keeps a stall as one if the engine steps over a gap', () => {
    const video = new FakeVideo().start().move(2_000);
    video.take('waiting').wait(3_000).seek(2.1, 200).move(1_000);
    expect(video.facts).toMatchObject({ stalls: 1, stalledMs: 3_200, watchedMs: 3_000 });
  });

  it('notices motion in a browser that forgets `playing`', () => {
    const video = new FakeVideo().start().move(2_000).take('waiting').wait(1_000).move(2_000);
    expect(video.facts).toMatchObject({ stalls: 1, watchedMs: 4_000, stalledMs: 1_000 });
  });

  it('counts what moved before the browser says `playing`', () => {
    const video = new FakeVideo();
    video.meter.wish(video.nowMs);
    video.wait(800);
    video.screen.paused = false;
    video.take('play').pass(40).take('playing').move(2_000);
    video.take('waiting').wait(1_000).pass(80).take('playing').move(1_000).pause();
    video.wait(5_000).screen.paused = false;
    video.take('play').pass(50).take('playing').move(1_000);
    expect(video.facts).toMatchObject({ startupMs: 800, stalls: 1, stalledMs: 1_000, watchedMs: 4_170 });
    expect(video.facts.ranges).toEqual([[0, 4_170]]);
  });

  it('does not count what was played before it began', () => {
    const video = new FakeVideo();
    video.screen.currentTime = 60;
    const late = new Meter(video.screen, () => video.nowMs);
    video.screen.paused = false;
    video.pass(250);
    late.take('timeupdate');
    expect(late.facts).toMatchObject({ watchedMs: 250, ranges: [[60_000, 60_250]] });
  });

  it('believes no jump of the position', () => {
    const video = new FakeVideo().start().move(1_000);
    video.screen.currentTime = 90;
    video.wait(250).take('timeupdate').move(1_000);
    expect(video.facts.watchedMs).toBe(2_000);
    expect(video.facts.ranges).toEqual([
      [0, 1_000],
      [90_000, 91_000],
    ]);
  });

  it('counts a reload after the first frame as a stall, and continues', () => {
    const video = new FakeVideo().start().move(9_000);
    video.screen.currentTime = 0;
    video.screen.paused = true;
    video.meter.load();
    video.take('emptied', 'timeupdate').wait(1_000);
    video.screen.paused = false;
    video.take('play').seek(9, 500).move(1_000);
    expect(video.facts).toMatchObject({ startupMs: 800, stalls: 1, stalledMs: 1_500, watchedMs: 10_000 });
    expect(video.facts.ranges).toEqual([[0, 10_000]]);
  });

  it('knows the end, with and without a loop', () => {
    const video = new FakeVideo().start().seek(118).move(2_000).pause();
    expect(video.facts.ended).toBe(false);
    video.screen.ended = true;
    expect(video.take('waiting', 'ended').facts).toMatchObject({ ended: true, stalls: 0 });

    const loop = new FakeVideo().start();
    loop.screen.loop = true;
    loop.seek(60).move(1_000).seek(0);
    expect(loop.facts.ended).toBe(false);
    loop.seek(118).move(1_750).pass(250).seek(0).move(1_000);
    expect(loop.facts).toMatchObject({ ended: true, watchedMs: 4_000 });
    expect(loop.facts.ranges).toEqual([
      [0, 1_000],
      [60_000, 61_000],
      [118_000, 120_000],
    ]);
  });

  it('watches again from the start without a stall', () => {
    const video = new FakeVideo().start().seek(119).move(1_000);
    video.screen.ended = true;
    video.pause().take('ended').wait(5_000);
    Object.assign(video.screen, { ended: false, paused: false, seeking: true, currentTime: 0 });
    video.take('play', 'seeking');
    video.screen.seeking = false;
    video.take('waiting').wait(200).take('playing').move(1_000);
    expect(video.facts).toMatchObject({ stalls: 0, watchedMs: 2_000 });
  });

  it('counts changes of the rendition, not the first one and not a reload', () => {
    const video = new FakeVideo();
    const show = (height: number) => {
      video.screen.videoHeight = height;
      video.take('resize');
    };
    show(360);
    video.start().move(1_000);
    show(720);
    show(720);
    video.pause().resume();
    show(480);
    expect(video.facts.switches).toBe(2);
    video.take('emptied');
    show(0);
    show(360);
    expect(video.facts.switches).toBe(2);
  });

  it('keeps at most ten errors, each with its position', () => {
    const video = new FakeVideo().start().move(3_000);
    for (let n = 0; n < 12; n += 1) video.meter.fail('NETWORK');
    expect(video.facts.errors).toHaveLength(10);
    expect(video.facts.errors[0]).toEqual({ code: 'NETWORK', atMs: 3_000 });
    expect(video.wait(10_000).facts.watchedMs).toBe(3_000);
  });
});
