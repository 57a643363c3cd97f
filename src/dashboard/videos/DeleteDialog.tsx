import { words } from '#words/bin.js';
import { useApolloClient } from '@apollo/client/react';
import { isTestMode } from '../session/mode.js';
import { ConfirmDialog } from '../parts/ConfirmDialog.js';
import { isUnfinished, moveToBin, moveToBinOrSay, type DeletableVideo } from './deletedVideos.js';
import { BATCH } from '../parts/inBatches.js';
import { isInProgress } from '../lib/videoStates.js';

interface Props {
  readonly videos: readonly DeletableVideo[];
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Asks before videos go to the bin, and says what happens to them. */
export default function DeleteDialog({ videos, onClose, onDeleted }: Props) {
  const client = useApolloClient();
  const [first] = videos;
  const unfinished = videos.filter(isUnfinished).length;
  const inProgress = videos.filter(isInProgress).length;

  async function remove(): Promise<void> {
    // Not awaited, so that the dialog closes: it would cover the toast that can cancel this.
    if (videos.length > BATCH) void moveToBinOrSay(client, videos);
    else await moveToBin(client, videos);
    onDeleted();
  }

  return (
    <ConfirmDialog
      opened
      title={videos.length === 1 ? words.ask.deleteOne(first?.title ?? '') : words.ask.deleteVideos(videos.length)}
      verb={words.ask.verb}
      onClose={onClose}
      onConfirm={remove}
    >
      {isTestMode ? (
        words.ask.testVideos(videos.length)
      ) : (
        <>
          {unfinished < videos.length ? words.ask.staysInBin(videos.length - unfinished) : null}
          {inProgress > 0 ? words.ask.processingStops(inProgress, videos.length) : null}
          {unfinished > 0 ? words.ask.unfinished(unfinished) : null}
        </>
      )}
    </ConfirmDialog>
  );
}
