import { describe, expect, it } from 'vitest';

import type { VideoRowFragment } from '../../../src/dashboard/generated/graphql.js';
import {
  type Batch,
  chooseForAll,
  chooseForOne,
  choiceOf,
  followShared,
} from '../../../src/dashboard/processing/batch.js';
import {
  batchOf,
  type Choice,
  offeredQualities,
  type PriceList,
  ratePerMinute,
  showChoice,
  within,
} from '../../../src/dashboard/processing/choice.js';
import { framesOf } from '../../../src/dashboard/videos/storyboardFrames.js';
import { canBeProcessed, isMoving, isWaitingForQuote } from '../../../src/dashboard/lib/videoStates.js';
import { DraftStore, titleOf } from '../../../src/dashboard/upload/drafts.js';
import { Speedometer } from '../../../src/dashboard/upload/speedometer.js';

const PLAIN: Choice = { quality: 'P1080', branding: false, encryption: false, normalizeLoudness: false };

const PRICES = {
  processing: [
    { quality: 'AUDIO', creditsPerMinute: '0.25' },
    { quality: 'P1080', creditsPerMinute: '2' },
  ],
  addons: [
    { addon: 'BRANDING', creditsPerMinute: '0.5' },
    { addon: 'ENCRYPTION', creditsPerMinute: '0.000001' },
  ],
} as unknown as PriceList;

/** A measured video, as a list has it. */
function video(id: string, fields: Partial<VideoRowFragment> = {}): VideoRowFragment {
  return {
    id,
    status: 'UPLOADED',
    measured: true,
    autoProcess: false,
    quality: 'P1080',
    sourceQuality: 'P2160',
    addons: { branding: false, encryption: false },
    normalizeLoudness: false,
    ...fields,
  } as unknown as VideoRowFragment;
}

describe('the options of a video', () => {
  it('are at most what its file supports, and have no logo without a picture', () => {
    expect(offeredQualities(video('a', { sourceQuality: 'P720' }))).toEqual(['AUDIO', 'P480', 'P720']);
    expect(offeredQualities(video('a', { sourceQuality: null }))).toHaveLength(6);
    expect(within(video('a', { sourceQuality: 'P480' }), PLAIN).quality).toBe('P480');
    const audio = within(video('a', { sourceQuality: 'AUDIO' }), { ...PLAIN, branding: true });
    expect(audio).toEqual({ ...PLAIN, quality: 'AUDIO', branding: false });
  });

  it('have a price per minute: quality and add-ons together', () => {
    expect(ratePerMinute(PLAIN, PRICES)).toBe('2');
    expect(ratePerMinute({ ...PLAIN, branding: true, encryption: true }, PRICES)).toBe('2.500001');
    expect(ratePerMinute({ ...PLAIN, quality: 'AUDIO', branding: true }, PRICES)).toBe('0.25');
  });

  it('are named in one line', () => {
    expect(showChoice(PLAIN)).toBe('1080p');
    const all = { quality: 'P2160', branding: true, encryption: true, normalizeLoudness: true } as const;
    expect(showChoice(all).split(' · ')).toHaveLength(4);
  });
});

describe('the options of several videos', () => {
  it('share the most common ones; a video with a smaller file follows, one with other add-ons does not', () => {
    const batch = batchOf([
      video('a'),
      video('b'),
      video('small', { quality: 'P720', sourceQuality: 'P720' }),
      video('branded', { addons: { branding: true, encryption: false } }),
    ]);
    expect(batch.shared).toEqual(PLAIN);
    expect([...batch.own]).toEqual([['branded', { branding: true }]]);
    expect(choiceOf(batch, 'branded')).toEqual({ ...PLAIN, branding: true });
    expect(batchOf([]).shared).toEqual(PLAIN);
  });

  it('keep what was changed for one when all are changed, until it follows the others again', () => {
    const start: Batch<string, Choice> = { shared: PLAIN, own: new Map() };
    const one = chooseForOne(start, 'a', { encryption: true });
    const all = chooseForAll(one, { quality: 'P480' });
    expect(choiceOf(all, 'a')).toEqual({ ...PLAIN, quality: 'P480', encryption: true });
    expect(chooseForOne(all, 'a', { encryption: false }).own.size).toBe(0);
    expect(choiceOf(followShared(all, 'a'), 'a')).toEqual({ ...PLAIN, quality: 'P480' });
    expect(start.own.size).toBe(0);
  });
});

describe('the state of a video', () => {
  it.each([
    ['an upload that is measured', video('a', { measured: false }), [true, false, false]],
    ['a measured one that waits for its owner', video('a'), [false, true, true]],
    ['a measured one that is processed by itself', video('a', { autoProcess: true }), [true, true, true]],
    ['one that is processed', video('a', { status: 'PROCESSING' }), [true, false, false]],
    ['a failed one', video('a', { status: 'FAILED' }), [false, false, true]],
    ['a failed one that was never measured', video('a', { status: 'FAILED', measured: false }), [false, false, false]],
    ['a ready one', video('a', { status: 'READY' }), [false, false, false]],
  ])('of %s says whether it moves, waits for a price, and can be processed', (_, row, expected) => {
    expect([isMoving(row), isWaitingForQuote(row), canBeProcessed(row)]).toEqual(expected);
  });
});

describe('files that were chosen', () => {
  it('have a title from their names, until one is typed; the options are reset after the last one', () => {
    const drafts = new DraftStore();
    const [party, dots] = [new File(['a'], 'summer_party-2024.mov'), new File(['b'], '---.mp4')];
    let changes = 0;
    const stop = drafts.subscribe(() => (changes += 1));
    drafts.add([party, dots]);
    expect(titleOf(drafts.snapshot(), party)).toBe('summer party 2024');
    expect(titleOf(drafts.snapshot(), dots)).toBe('---.mp4');
    drafts.change(({ titles, wishes }) => ({
      titles: new Map([...titles, [party, 'Our party']]),
      wishes: chooseForOne(chooseForAll(wishes, { quality: 'P480' }), dots, { encryption: true }),
    }));
    expect(titleOf(drafts.snapshot(), party)).toBe('Our party');

    drafts.remove(dots);
    expect(drafts.snapshot()).toMatchObject({ files: [party], wishes: { shared: { quality: 'P480' } } });
    expect(drafts.snapshot().wishes.own.size).toBe(0);
    stop();
    drafts.remove(party);
    expect(drafts.snapshot()).toMatchObject({ files: [], wishes: { shared: { quality: 'P1080' } } });
    expect(drafts.snapshot().titles.size).toBe(0);
    expect(changes).toBe(3);
  });
});

describe('the speed of an upload', () => {
  it('is that of the last six seconds, and unknown at first and after a pause', () => {
    const meter = new Speedometer();
    meter.note(0, 1_000);
    meter.note(100, 1_400);
    expect(meter.bytesPerSecond).toBeUndefined();
    meter.note(1_000, 2_000);
    expect(meter.bytesPerSecond).toBe(1_000);
    meter.note(1_000, 8_000);
    expect(meter.bytesPerSecond).toBe(0);
    meter.reset();
    expect(meter.bytesPerSecond).toBeUndefined();
  });
});

describe('the frames of a storyboard', () => {
  const vtt = `WEBVTT

${[0, 1, 2, 3].map((n) => `00:0${n}.000 --> 00:0${n + 1}.000\nsheet.jpg#xywh=${(n % 2) * 160},${Math.floor(n / 2) * 90},160,90`).join('\n\n')}

00:04.000 --> 00:05.000
sheet2.jpg#xywh=0,0,160,90

00:05.000 --> 00:06.000
not a tile`;

  it('are spread evenly, with their places on the sheet in percent', () => {
    const frames = framesOf(vtt, 'https://video.example/m/storyboard.vtt', 10);
    expect(frames.map(({ atSeconds }) => atSeconds)).toEqual([0, 1, 2, 3, 4]);
    expect(frames[3]).toEqual({
      atSeconds: 3,
      sheetUrl: 'https://video.example/m/sheet.jpg',
      aspect: 160 / 90,
      size: '200% 200%',
      position: '100% 100%',
    });
    expect(framesOf(vtt, 'https://video.example/s.vtt', 2).map(({ atSeconds }) => atSeconds)).toEqual([0, 2]);
    expect(framesOf('WEBVTT', 'https://video.example/s.vtt', 4)).toEqual([]);
  });
});
