import { words } from '#words/supportAccount.js';
import { useMutation, useQuery } from '@apollo/client/react';
import {
  StaffAuditLogDocument,
  StaffFailedVideosDocument,
  StaffRetryVideoDocument,
  StaffVideosDocument,
  StaffWaitingDocument,
  type StaffVideosQuery,
} from '../../generated/graphql.js';
import { showBytes, showDay, showDuration } from '../../lib/format.js';
import { STATUS, showQuality } from '../../lib/videoStates.js';
import { StateBadge } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import { ReasonButton } from '../parts/ReasonButton.js';
import { PAGE, StaffList } from '../parts/StaffList.js';
import type { StaffAccount } from './staffAccount.js';

type Video = NonNullable<StaffVideosQuery['account']>['videos']['edges'][number]['node'];

export function AccountVideos({ account }: { account: StaffAccount }) {
  const variables = { id: account.id, first: PAGE };
  const { data, error, refetch, fetchMore } = useQuery(StaffVideosDocument, { variables });
  return (
    <StaffList
      label={words.accountVideos.videos}
      pages={data?.account?.videos}
      error={error}
      onRetry={() => void refetch()}
      onMore={(after) => fetchMore({ variables: { after } })}
      keyOf={(video) => video.id}
      render={(video) => <VideoLine video={video} account={account} />}
      empty={{ icon: 'videos', title: words.accountVideos.noVideos, advice: words.accountVideos.ownerHasNotUploaded }}
    />
  );
}

function VideoLine({ video, account }: { video: Video; account: StaffAccount }) {
  const [retry] = useMutation(StaffRetryVideoDocument, {
    refetchQueries: [StaffAuditLogDocument, StaffFailedVideosDocument, StaffWaitingDocument],
  });
  return (
    <>
      <div className={classes['what']}>
        <span className={classes['line']}>
          <b>{video.title}</b>
          <StateBadge look={STATUS[video.status]} />
        </span>
        <span className={classes['soft']}>
          <span className={classes['mono']}>{video.id}</span>
          {video.quality ? <span>{showQuality(video.quality)}</span> : null}
          {video.durationSeconds === null ? null : <span>{showDuration(video.durationSeconds)}</span>}
          {video.sizeBytes === null ? null : <span>{showBytes(video.sizeBytes)}</span>}
          <span>{showDay(video.createdAt)}</span>
        </span>
        {video.failure ? (
          <span className={classes['quote']}>
            {video.failure.message} <span className={classes['mono']}>{video.failure.code}</span>
          </span>
        ) : null}
      </div>
      {video.status === 'FAILED' ? (
        <div className={classes['end']}>
          <ReasonButton
            verb={words.accountVideos.retry}
            label={words.accountVideos.retryOf(video.title)}
            title={words.accountVideos.processVideoAgain}
            done={words.accountVideos.queuedAgain(video.title)}
            onConfirm={(reason) => retry({ variables: { accountId: account.id, videoId: video.id, reason } })}
          >
            {words.accountVideos.processingChargedCreativeCredits(account.email)}
          </ReasonButton>
        </div>
      ) : null}
    </>
  );
}
