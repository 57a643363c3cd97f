import { words } from '#words/support.js';
import { useMutation, useQuery } from '@apollo/client/react';
import {
  StaffFailedVideosDocument,
  StaffRetryVideoDocument,
  StaffWaitingDocument,
  type StaffFailedVideosQuery,
} from '../../generated/graphql.js';
import { PageHead } from '../../parts/PageHead.js';
import { AccountLink, Ago } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import { ReasonButton } from '../parts/ReasonButton.js';
import { PAGE, StaffList } from '../parts/StaffList.js';

type Failed = StaffFailedVideosQuery['failedVideos']['edges'][number]['node'];

export default function FailedVideos() {
  const { data, error, refetch, fetchMore } = useQuery(StaffFailedVideosDocument, { variables: { first: PAGE } });
  return (
    <>
      <PageHead title={words.failedVideos.failedJobs} note={words.failedVideos.videosAllAccountsFailed} />
      <StaffList
        label={words.failedVideos.failedVideos}
        pages={data?.failedVideos}
        error={error}
        onRetry={() => void refetch()}
        onMore={(after) => fetchMore({ variables: { after } })}
        keyOf={(video) => video.videoId}
        render={(video) => <FailedRow video={video} />}
        empty={{
          icon: 'check',
          title: words.failedVideos.noFailedJobs,
          advice: words.failedVideos.allProcessedVideosPlay,
        }}
        estimatePx={92}
      />
    </>
  );
}

function FailedRow({ video }: { video: Failed }) {
  const [retry] = useMutation(StaffRetryVideoDocument, {
    refetchQueries: [StaffFailedVideosDocument, StaffWaitingDocument],
    // Remove it wherever it was in the list, because it is no longer failed.
    update: (cache) => cache.evict({ id: cache.identify({ __typename: 'FailedVideo', videoId: video.videoId }) ?? '' }),
  });
  const { accountId, videoId } = video;
  return (
    <>
      <div className={classes['what']}>
        <span className={classes['line']}>
          <b>{video.title}</b>
          <AccountLink id={accountId} email={video.accountEmail} />
        </span>
        <span className={classes['quote']}>{video.failureMessage ?? words.failedVideos.noReasonWasRecorded}</span>
        <span className={classes['soft']}>
          <span className={classes['mono']}>{videoId}</span>
          {video.failureCode ? <span className={classes['mono']}>{video.failureCode}</span> : null}
          <span>
            {video.attempt === 0 ? words.failedVideos.neverProcessed : words.failedVideos.attempt(video.attempt)}
          </span>
          <Ago at={video.failedAt} />
        </span>
      </div>
      {video.attempt > 0 ? (
        <div className={classes['end']}>
          <ReasonButton
            verb={words.failedVideos.retry}
            label={words.failedVideos.retryOf(video.title)}
            title={words.failedVideos.processVideoAgain}
            done={words.failedVideos.queuedAgain(video.title)}
            onConfirm={(reason) => retry({ variables: { accountId, videoId, reason } })}
          >
            {words.failedVideos.processingChargedCreativeCredits(video.accountEmail)}
          </ReasonButton>
        </div>
      ) : (
        <span className={classes['soft']}>{words.failedVideos.fileCantReadMust}</span>
      )}
    </>
  );
}
