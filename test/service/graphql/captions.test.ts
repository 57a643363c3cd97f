import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Client } from '../../support/graphql/client.js';
import { readyVideo } from './parents.js';
import { GraphqlService } from './service.js';

const UPLOAD = `mutation ($id: ID!, $input: UploadCaptionsInput!) {
  uploadCaptions(videoId: $id, input: $input) { id captions { id language label origin isForced isSdh sizeBytes createdAt } }
}`;
const UPDATE = `mutation ($id: ID!, $captionId: ID!, $input: UpdateCaptionsInput!) {
  updateCaptions(videoId: $id, captionId: $captionId, input: $input) { captions { id language label isForced isSdh } }
}`;
const DELETE =
  'mutation ($id: ID!, $captionId: ID!) { deleteCaptions(videoId: $id, captionId: $captionId) { captions { id } } }';
const CHAPTERS = `mutation ($id: ID!, $chapters: [ChapterInput!]!) {
  setChapters(videoId: $id, chapters: $chapters) { chapters { startSeconds title origin } }
}`;
const SRT = '1\n00:00:01,000 --> 00:00:02,000\nHello\n';

describe('captions over GraphQL', () => {
  let service: GraphqlService;
  let owner: Client;
  let other: Client;
  let nobody: Client;

  beforeAll(async () => {
    service = await GraphqlService.start();
    owner = await service.signedIn('owner@example.com');
    other = await service.signedIn('other@example.com');
    nobody = service.nobody;
  });
  afterAll(() => service.stop());

  const input = (
    more: Partial<Record<'language' | 'label' | 'text', string>> & { isForced?: boolean; isSdh?: boolean } = {},
  ) => ({
    input: { language: 'en', label: 'English', text: SRT, ...more },
  });

  it('are uploaded, renamed and deleted', async () => {
    const id = await readyVideo(service, owner.accountId);
    const { uploadCaptions } = await owner.data(UPLOAD, { id, ...input({ language: 'PT-br', label: ' Português ' }) });
    const [track] = uploadCaptions.captions;
    expect(track).toMatchObject({ language: 'pt-BR', label: 'Português', origin: 'UPLOAD' });
    expect(track).toMatchObject({ isForced: false, isSdh: false });
    expect(track.sizeBytes).toBeGreaterThan(20);

    const renamed = await owner.data(UPDATE, { id, captionId: track.id, input: { label: 'Legendas' } });
    const legendas = { id: track.id, language: 'pt-BR', label: 'Legendas' };
    expect(renamed.updateCaptions.captions).toEqual([{ ...legendas, isForced: false, isSdh: false }]);
    const told = await owner.data(UPDATE, { id, captionId: track.id, input: { isForced: true, isSdh: true } });
    expect(told.updateCaptions.captions).toEqual([{ ...legendas, isForced: true, isSdh: true }]);
    const { deleteCaptions } = await owner.data(DELETE, { id, captionId: track.id });
    expect(deleteCaptions.captions).toEqual([]);
    expect(await owner.code(DELETE, { id, captionId: track.id })).toBe('NOT_FOUND');
  });

  it('replace the track with the same label', async () => {
    const id = await readyVideo(service, owner.accountId);
    await owner.data(UPLOAD, { id, ...input() });
    await owner.data(UPLOAD, { id, ...input({ label: 'English (SDH)', isForced: true, isSdh: true }) });
    const { uploadCaptions } = await owner.data(UPLOAD, { id, ...input({ text: SRT.replace('Hello', 'Hi') }) });
    const labels = uploadCaptions.captions.map(({ label }: { label: string }) => label);
    expect(labels.toSorted()).toEqual(['English', 'English (SDH)']);
    for (const { label, isForced, isSdh } of uploadCaptions.captions) {
      expect([isForced, isSdh]).toEqual(Array(2).fill(label === 'English (SDH)'));
    }
    const [first] = uploadCaptions.captions;
    const taken = labels.find((label: string) => label !== first.label);
    expect(await owner.code(UPDATE, { id, captionId: first.id, input: { label: taken } })).toBe('INVALID_INPUT');
  });

  it('are refused with the number of the bad line', async () => {
    const id = await readyVideo(service, owner.accountId);
    const text = `${SRT}\n2\n00:00:99,000 --> 00:00:02,000\nBad\n`;
    const reply = await owner.ask(UPLOAD, { id, ...input({ text }) });
    expect(reply.errors[0]!.message).toMatch(/^Line 6: The times are not readable/);
    expect(reply.errors[0]!.extensions).toMatchObject({ code: 'INVALID_INPUT', details: { line: '6' } });
    expect(await owner.code(UPLOAD, { id, ...input({ language: 'klingon!' }) })).toBe('INVALID_INPUT');
    expect(await owner.code(UPLOAD, { id, ...input({ label: '' }) })).toBe('INVALID_INPUT');
    expect(await owner.code(UPLOAD, { id, ...input({ text: SRT + 'x'.repeat(1_000_000) }) })).toBe('INVALID_INPUT');
  });

  it('can be as long as a video', async () => {
    const id = await readyVideo(service, owner.accountId);
    const clock = (n: number) =>
      `00:${String(Math.floor(n / 60) % 60).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`;
    const text = Array.from(
      { length: 3_500 },
      (_, n) => `${n + 1}\n${clock(n)},000 --> ${clock(n)},900\n${'ä "text" '.repeat(18)}\n`,
    ).join('\n');
    expect(Buffer.byteLength(text)).toBeGreaterThan(700_000);
    const { uploadCaptions } = await owner.data(UPLOAD, { id, ...input({ text }) });
    expect(uploadCaptions.captions[0].sizeBytes).toBeGreaterThan(600_000);
  });

  it('are limited to 20 tracks, also when uploaded at once', async () => {
    const id = await readyVideo(service, owner.accountId);
    const codes = await Promise.all(
      Array.from({ length: 25 }, async (_, n) => {
        const reply = await owner.ask(UPLOAD, { id, ...input({ label: `Track ${n}` }) });
        return reply.errors[0]?.extensions['code'] ?? 'ok';
      }),
    );
    expect(codes.filter((code) => code === 'ok')).toHaveLength(20);
    expect(codes.filter((code) => code === 'LIMIT_REACHED')).toHaveLength(5);
    // An existing track can still be replaced.
    const again = `Track ${codes.indexOf('ok')}`;
    expect((await owner.data(UPLOAD, { id, ...input({ label: again }) })).uploadCaptions.captions).toHaveLength(20);
  });

  it('and chapters can be changed by their owner only', async () => {
    const id = await readyVideo(service, owner.accountId);
    const { uploadCaptions } = await owner.data(UPLOAD, { id, ...input() });
    const captionId = uploadCaptions.captions[0].id as string;
    const chapters = [{ startSeconds: 1, title: 'x' }];
    for (const [query, variables] of [
      [UPLOAD, { id, ...input() }],
      [UPDATE, { id, captionId, input: { label: 'x' } }],
      [DELETE, { id, captionId }],
      [CHAPTERS, { id, chapters }],
    ] as const) {
      expect(await nobody.code(query, variables)).toBe('UNAUTHENTICATED');
      expect(await other.code(query, variables)).toBe('VIDEO_NOT_FOUND');
    }
    expect(await owner.code(DELETE, { id, captionId: '../x' })).toBe('NOT_FOUND');
  });
});

describe('chapters over GraphQL', () => {
  it('are replaced as a whole, and removed', async () => {
    const service = await GraphqlService.start();
    try {
      const owner = await service.signedIn('owner@example.com');
      const id = await readyVideo(service, owner.accountId);
      const chapters = [
        { startSeconds: 30.25, title: 'Two' },
        { startSeconds: 0, title: 'One' },
      ];
      const { setChapters } = await owner.data(CHAPTERS, { id, chapters });
      expect(setChapters.chapters).toEqual(chapters.toReversed().map((chapter) => ({ ...chapter, origin: 'UPLOAD' })));
      expect(await owner.code(CHAPTERS, { id, chapters: [{ startSeconds: 60, title: 'late' }] })).toBe('INVALID_INPUT');
      expect((await owner.data(CHAPTERS, { id, chapters: [] })).setChapters.chapters).toEqual([]);
    } finally {
      await service.stop();
    }
  });
});
