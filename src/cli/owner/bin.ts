import type { Invocation, OwnerCommand } from './command.js';
import { bytes, duration, minute } from './output.js';
import { collect, type Page } from './pages.js';

export const BIN = `query ($first: Int!, $after: String) {
  bin(first: $first, after: $after) {
    edges { node { id title durationSeconds storedBytes deletedAt purgeAt } }
    pageInfo { endCursor hasNextPage }
  }
}`;
export const RESTORE = 'mutation ($id: ID!) { restoreVideo(id: $id) { id title status } }';

interface BinnedVideo {
  readonly id: string;
  readonly title: string;
  readonly durationSeconds: number | null;
  readonly storedBytes: number;
  readonly deletedAt: string;
  readonly purgeAt: string;
}

interface Restored {
  readonly id: string;
  readonly title: string;
  readonly status: string;
}

export const bin: OwnerCommand = {
  name: 'bin',
  positionals: [],
  options: { limit: { type: 'string' } },
  summary: 'lists deleted videos that can be restored, newest first [--limit N]',
  async run({ options, output, api }: Invocation): Promise<void> {
    const found = await collect(
      { options, api },
      async (service, position) => (await service.ask<{ bin: Page<BinnedVideo> }>(BIN, { ...position })).bin,
    );
    output.table(
      found,
      ['ID', 'TITLE', 'LENGTH', 'STORED', 'DELETED', 'GONE FOR GOOD'],
      found.map((video) => [
        video.id,
        video.title,
        duration(video.durationSeconds),
        bytes(video.storedBytes),
        minute(video.deletedAt),
        minute(video.purgeAt),
      ]),
      'The bin is empty.',
    );
  },
};

export const restore: OwnerCommand = {
  name: 'restore-video',
  positionals: ['<video>'],
  options: {},
  summary: 'takes a video out of the bin',
  async run({ positionals, output, api }: Invocation): Promise<void> {
    const { restoreVideo } = await (await api()).ask<{ restoreVideo: Restored }>(RESTORE, { id: positionals[0] });
    const restored = { ...restoreVideo, status: restoreVideo.status.toLowerCase() };
    output.line(restored, `Restored ${restored.title} (${restored.status}).`);
  },
};
