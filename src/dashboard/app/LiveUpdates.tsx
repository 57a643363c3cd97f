import { words } from '#words/shell.js';
import { useApolloClient, useSubscription } from '@apollo/client/react';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import {
  NotificationsDocument,
  VideosChangedDocument,
  WalletChangedDocument,
  type SwitchableNotification,
  type VideoRowFragment,
  type VideoStatus,
} from '../generated/graphql.js';
import { painted } from '../lib/painted.js';
import { showToast } from '../parts/toasts.js';
import { noteDeleted, noteRestored } from '../videos/hiddenVideos.js';
import { isTestMode } from '../session/mode.js';
import { useLiveOpen } from './liveState.js';
import { refresh } from '../session/refresh.js';
import { useSessionExpired } from '../session/session.js';

const POLL_MS = 4000;
/** Queries whose result may change with a video in more than that video's own row. */
const LISTS = new Set([
  'Videos',
  'Video',
  'VideoActivity',
  'VideoCaptions',
  'VideoEncoding',
  'RunningJobs',
  'NewestVideos',
  'NeedsYou',
  'Home',
  'WalletUse',
  'DeletedVideos',
]);

/** Keeps every open page current, once it has painted. */
export function LiveUpdates() {
  const [isPainted, setPainted] = useState(false);
  useEffect(() => void painted().then(() => setPainted(true)), []);
  return isPainted ? <Streams /> : null;
}

/**
 * Two streams serve the whole page: a browser allows six connections to one address, and uploads need some of them. The
 * cache passes a changed video on to whatever shows it.
 */
function Streams() {
  const client = useApolloClient();
  const navigate = useNavigate();
  const known = useRef(new Map<string, { status: VideoStatus; step: string }>());
  const isOpen = useLiveOpen();
  const isExpired = useSessionExpired();
  const hasOpened = useRef(false);

  useSubscription(WalletChangedDocument, { skip: isTestMode });
  useSubscription(VideosChangedDocument, {
    onData: ({ data }) => {
      const change = data.data?.videosChanged;
      if (!change) return;
      if (change.id === null) return refresh(client);
      if (!change.video) {
        noteDeleted([change.id]);
        // Once it is restored, it is new to the lists, whatever its status was.
        known.current.delete(change.id);
        return void client.cache.evict({ id: `Video:${change.id}` });
      }
      noteRestored([change.video.id]);
      notice(change.video);
    },
  });

  function notice(video: VideoRowFragment): void {
    const before = known.current.get(video.id);
    const now = { status: video.status, step: [video.status, video.measured, ...video.playableRungs].join() };
    known.current.set(video.id, now);
    if (before?.step === now.step) return;
    // It may have moved into or out of a filtered list, and its own page shows more than a row has.
    refresh(client, LISTS);
    if (!before || before.status === now.status || (video.status !== 'READY' && video.status !== 'FAILED')) return;
    void tell(video);
  }

  async function tell(video: VideoRowFragment): Promise<void> {
    if (!(await isWanted(video.status === 'READY' ? 'VIDEO_READY' : 'VIDEO_FAILED'))) return;
    const ready = video.status === 'READY';
    const title = ready ? words.liveUpdates.ready(video.title) : words.liveUpdates.failed(video.title);
    const path = `/videos/${video.id}`;
    // Its own page shows the rest already.
    if (`${location.pathname}/`.startsWith(`${path}/`)) return void showToast({ title, kind: ready ? 'good' : 'bad' });
    showToast({
      title,
      message: video.failure?.message ?? (ready ? words.liveUpdates.readyPlay : words.liveUpdates.openSeeWhy),
      kind: ready ? 'good' : 'bad',
      action: { label: words.liveUpdates.open, run: () => void navigate(path) },
    });
  }

  /** Read only when there is something to show, since most visits have nothing. */
  async function isWanted(kind: SwitchableNotification): Promise<boolean> {
    // Choices belong to the owner, and test mode cannot read them.
    if (isTestMode) return true;
    try {
      const { data } = await client.query({ query: NotificationsDocument, fetchPolicy: 'cache-first' });
      return data?.notifications.find((one) => one.kind === kind)?.dashboard !== false;
    } catch {
      // Without the choices, the message is shown.
      return true;
    }
  }

  useEffect(() => {
    if (isOpen) {
      // Refetch what happened before the streams were open. On the first connection only the lists, since the wallet's
      // stream begins with its current state; after a gap, everything.
      refresh(client, hasOpened.current ? undefined : LISTS);
      hasOpened.current = true;
      return undefined;
    }
    if (isExpired) return undefined;
    // Poll where a proxy holds streams back: the effect is the same, only slower.
    const timer = setInterval(() => {
      if (!document.hidden) refresh(client);
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [client, isOpen, isExpired]);

  return null;
}
