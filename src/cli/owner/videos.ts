import { IN_TEST_MODE, type Invocation, type OwnerCommand } from './command.js';
import { ServiceError } from './errors.js';
import { openBrowser } from './openBrowser.js';
import { bytes, duration, minute, quality } from './output.js';
import { collect, type Page } from './pages.js';
import { UsageError } from '../usageError.js';

const STATUSES = ['awaiting_upload', 'uploading', 'uploaded', 'queued', 'processing', 'ready', 'failed'];

export const VIDEOS = `query ($first: Int!, $after: String, $q: String, $tag: String, $status: VideoStatus) {
  videos(first: $first, after: $after, q: $q, tag: $tag, status: $status) {
    edges { node { id title status quality durationSeconds sizeBytes createdAt } }
    pageInfo { endCursor hasNextPage }
  }
}`;
export const VIDEO = `query ($id: ID!) {
  video(id: $id) {
    id uuid title description status quality durationSeconds width height sizeBytes tags createdAt readyAt playableRungs
    renditions { quality width height bitrate codecs sizeBytes label }
    failure { code message }
  }
}`;
export const PREVIEW_TOKEN = 'mutation ($id: ID!) { createPreviewToken(videoId: $id) { token expiresAt manifestUrl } }';

interface ListedVideo {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly quality: string | null;
  readonly durationSeconds: number | null;
  readonly sizeBytes: number | null;
  readonly createdAt: string;
}

interface VideoPage {
  readonly videos: Page<ListedVideo>;
}

interface WholeVideo extends ListedVideo {
  readonly uuid: string;
  readonly description: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly tags: readonly string[];
  readonly readyAt: string | null;
  readonly playableRungs: readonly string[];
  readonly renditions: readonly {
    readonly quality: string;
    readonly width: number | null;
    readonly height: number | null;
    readonly bitrate: number;
    readonly codecs: string;
    readonly sizeBytes: number;
    readonly label: string | null;
  }[];
  readonly failure: { readonly code: string; readonly message: string } | null;
}

interface Preview {
  readonly token: string;
  readonly expiresAt: string;
  readonly manifestUrl: string;
}

export const videos: OwnerCommand = {
  name: 'videos',
  positionals: [],
  options: {
    ...IN_TEST_MODE,
    status: { type: 'string' },
    q: { type: 'string' },
    tag: { type: 'string' },
    limit: { type: 'string' },
  },
  choices: { status: STATUSES },
  summary: 'lists your videos, newest first [--status STATUS --q WORDS --tag TAG --limit N]',
  async run({ options, output, api }: Invocation): Promise<void> {
    const status = options['status'] as string | undefined;
    if (status !== undefined && !STATUSES.includes(status)) {
      throw new UsageError(`--status takes one of ${STATUSES.join(', ')}.`);
    }
    const { q, tag } = options;
    const filter = { q, tag, status: status?.toUpperCase() };
    const listed = await collect(
      { options, api },
      async (service, position) => (await service.ask<VideoPage>(VIDEOS, { ...position, ...filter })).videos,
    );
    const found = listed.map(inOwnWords);
    output.table(
      found,
      ['ID', 'TITLE', 'STATUS', 'QUALITY', 'LENGTH', 'CREATED'],
      found.map((video) => [
        video.id,
        video.title,
        video.status,
        video.quality ?? '-',
        duration(video.durationSeconds),
        minute(video.createdAt),
      ]),
      'No videos.',
    );
  },
};

export const video: OwnerCommand = {
  name: 'video',
  positionals: ['<video>'],
  options: IN_TEST_MODE,
  summary: 'shows one video',
  async run({ positionals, output, api }: Invocation): Promise<void> {
    const { video: one } = await (await api()).ask<{ video: WholeVideo | null }>(VIDEO, { id: positionals[0] });
    if (one === null) throw new ServiceError('Video not found.', 'VIDEO_NOT_FOUND');
    const found = {
      ...inOwnWords(one),
      playableRungs: one.playableRungs.map(quality),
      renditions: one.renditions.map((rendition) => ({ ...rendition, quality: quality(rendition.quality) })),
    };
    const size = found.width === null ? '-' : `${found.width}×${found.height}`;
    output.list(found, [
      ['ID', found.id],
      ['Title', found.title],
      ['Status', found.status],
      ...(found.failure ? ([['Failure', `${found.failure.message} (${found.failure.code})`]] as const) : []),
      ['Quality', found.quality ?? '-'],
      ['Length', duration(found.durationSeconds)],
      ['Source', `${size}, ${bytes(found.sizeBytes)}`],
      ['Tags', found.tags.join(', ') || '-'],
      ['Created', minute(found.createdAt)],
      ['Ready', minute(found.readyAt)],
      ...found.renditions.map((rendition): readonly [string, string] => [
        rendition.quality,
        `${rendition.width === null ? (rendition.label ?? 'sound') : `${rendition.width}×${rendition.height}`}, ` +
          `${Math.round(rendition.bitrate / 1_000)} kb/s, ${rendition.codecs}, ${bytes(rendition.sizeBytes)}`,
      ]),
    ]);
  },
};

export const token: OwnerCommand = {
  name: 'token',
  positionals: ['<video>'],
  options: IN_TEST_MODE,
  summary: 'creates a five-minute token to try playback; it counts against no key',
  async run({ positionals, output, api }: Invocation): Promise<void> {
    const preview = await previewOf({ positionals, api });
    output.line(preview, preview.token);
  },
};

export const play: OwnerCommand = {
  name: 'play',
  positionals: ['<video>'],
  options: { ...IN_TEST_MODE, print: { type: 'boolean' } },
  summary: 'opens a video in the browser [--print: only prints the address]',
  async run({ positionals, options, output, terminal, api }: Invocation): Promise<void> {
    const service = await api();
    const preview = await previewOf({ positionals, api });
    const url = `${service.url}/watch#${preview.token}`;
    output.line({ ...preview, url }, url);
    if (options['print'] === true || (await openBrowser(url, terminal.env))) return;
    terminal.errors.write('dhara: No browser could be opened. Open the address yourself.\n');
  },
};

/** With the words of /v1 and of `--status`, not with GraphQL's names. */
function inOwnWords<Row extends ListedVideo>(row: Row): Row {
  return { ...row, status: row.status.toLowerCase(), quality: row.quality && quality(row.quality) };
}

async function previewOf({ positionals, api }: Pick<Invocation, 'positionals' | 'api'>): Promise<Preview> {
  const service = await api();
  const { createPreviewToken } = await service.ask<{ createPreviewToken: Preview }>(PREVIEW_TOKEN, {
    id: positionals[0],
  });
  return createPreviewToken;
}
