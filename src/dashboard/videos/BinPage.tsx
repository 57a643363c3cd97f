import { words } from '#words/bin.js';
import { useApolloClient, useQuery } from '@apollo/client/react';
import { Button, Skeleton, Stack } from '@mantine/core';
import { useCallback, useState } from 'react';
import { Link } from 'react-router';
import { DeletedVideosDocument, DeleteVideoForeverDocument, type DeletedVideosQuery } from '../generated/graphql.js';
import { showAge, showBytes, showDuration } from '../lib/format.js';
import { Changes } from '../parts/Changes.js';
import { ConfirmDialog } from '../parts/ConfirmDialog.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { EmptyState, ErrorState, FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import { usePages } from '../parts/usePages.js';
import { WindowedList } from '../parts/WindowedList.js';
import classes from './BinPage.module.css';
import { restoreVideos } from './deletedVideos.js';
import { emptyBin } from './emptyBin.js';
import page from './VideoPage.module.css';

const PAGE = 50;
const ROW_PX = 76;
const MS_PER_DAY = 86_400_000;

type BinnedVideo = DeletedVideosQuery['bin']['edges'][number]['node'];

/** Deleted videos: restored, or deleted for good. */
export default function BinPage() {
  const client = useApolloClient();
  // What was deleted since the last visit is missing from the cache.
  const { data, error, refetch } = useQuery(DeletedVideosDocument, {
    variables: { first: PAGE },
    fetchPolicy: 'cache-and-network',
  });
  const bin = data?.bin;
  const [doomed, setDoomed] = useState<BinnedVideo | 'all'>();
  const restoring = useAction(async (video: BinnedVideo) => {
    const { done, error: failure } = await restoreVideos(client, [video.id]);
    if (failure !== undefined) throw failure;
    if (done.length > 0) showToast({ kind: 'good', title: words.toast.restored(video.title) });
    else showToast({ kind: 'bad', title: words.toast.notInBin(video.title) });
  });
  const pages = usePages({
    head: bin,
    // Another count is another list, so that no page keeps what has left the bin.
    listKey: String(bin?.totalCount),
    fetchPage: useCallback(
      async (after: string) => {
        const variables = { first: PAGE, after };
        const answer = await client.query({ query: DeletedVideosDocument, variables, fetchPolicy: 'no-cache' });
        return answer.data?.bin;
      },
      [client],
    ),
  });

  async function deleteForGood(video: BinnedVideo | 'all'): Promise<void> {
    if (video === 'all') {
      // Not awaited, so that the dialog closes: it would cover the toast that can cancel this.
      void emptyBin(client, bin?.totalCount ?? 0).finally(refetch);
      return;
    }
    try {
      await client.mutate({ mutation: DeleteVideoForeverDocument, variables: { id: video.id } });
    } finally {
      await refetch();
    }
  }

  return (
    <>
      <Link to="/videos" className={page['back']}>
        {words.page.back(<Icon name="back" size={17} />)}
      </Link>
      <PageHead
        title={words.page.title}
        note={bin && bin.totalCount > 0 ? words.page.note(bin.totalCount, showBytes(bin.storedBytes)) : '\u00a0'}
      >
        {bin && bin.totalCount > 0 ? (
          <Changes>
            <Button variant="default" leftSection={<Icon name="trash" size={17} />} onClick={() => setDoomed('all')}>
              {words.page.emptyBin}
            </Button>
          </Changes>
        ) : null}
      </PageHead>
      {error && !bin ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!bin && !error ? (
        <Stack gap="xs" role="status" aria-busy="true" aria-label={words.page.loading}>
          <Skeleton height={ROW_PX} radius="lg" />
          <Skeleton height={ROW_PX} radius="lg" />
        </Stack>
      ) : null}
      <FormError error={restoring.error} />
      {bin?.totalCount === 0 ? (
        <div className="panel">
          <EmptyState icon="trash" title={words.page.none} advice={words.page.noneAdvice}>
            <Button component={Link} to="/videos" variant="default">
              {words.page.goVideos}
            </Button>
          </EmptyState>
        </div>
      ) : null}
      {bin && bin.totalCount > 0 ? (
        <div className={`panel ${classes['list']}`}>
          <WindowedList
            items={pages.items}
            keyOf={({ id }) => id}
            render={(video) => (
              <Row
                video={video}
                isBusy={restoring.busy}
                onRestore={() => void restoring.run(video)}
                onDelete={() => setDoomed(video)}
              />
            )}
            label={words.page.label}
            estimatePx={ROW_PX}
            total={bin.totalCount}
            hasMore={pages.hasMore}
            loadingMore={pages.loadingMore}
            onMore={pages.loadMore}
            error={pages.moreError}
          />
        </div>
      ) : null}
      {doomed && bin ? (
        <ConfirmDialog
          opened
          title={doomed === 'all' ? words.page.emptyTitle : words.page.deleteTitle(doomed.title)}
          verb={doomed === 'all' ? words.page.emptyBin : words.page.deleteNow}
          onClose={() => setDoomed(undefined)}
          onConfirm={() => deleteForGood(doomed)}
        >
          {doomed === 'all' ? words.page.emptyAdvice(bin.totalCount) : words.page.deleteAdvice}
        </ConfirmDialog>
      ) : null}
    </>
  );
}

interface RowProps {
  readonly video: BinnedVideo;
  readonly isBusy: boolean;
  readonly onRestore: () => void;
  readonly onDelete: () => void;
}

function Row({ video, isBusy, onRestore, onDelete }: RowProps) {
  const { title, durationSeconds, storedBytes, deletedAt, purgeAt } = video;
  const facts = [
    ...(durationSeconds === null ? [] : [showDuration(durationSeconds)]),
    showBytes(storedBytes),
    words.page.deleted(showAge(deletedAt)),
  ];
  return (
    <div className={classes['row']}>
      <span className={classes['what']}>
        <b>{title}</b>
        <small>{facts.join(' · ')}</small>
      </span>
      <span className={classes['left']}>{words.page.daysLeft(daysUntil(purgeAt))}</span>
      <Changes>
        <span className={classes['actions']}>
          <Button
            size="xs"
            variant="default"
            disabled={isBusy}
            aria-label={words.page.restoreOne(title)}
            onClick={onRestore}
          >
            {words.page.restore}
          </Button>
          <Button size="xs" variant="default" aria-label={words.page.deleteNowOne(title)} onClick={onDelete}>
            {words.page.deleteNow}
          </Button>
        </span>
      </Changes>
    </div>
  );
}

function daysUntil(iso: string, now = Date.now()): number {
  return Math.ceil((new Date(iso).getTime() - now) / MS_PER_DAY);
}
