import { words } from '#words/video.js';
import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { Button, FileButton, Group, Skeleton, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { SetPosterDocument, VideoPosterDocument } from '../generated/graphql.js';
import { showDuration } from '../lib/format.js';
import { announce } from '../parts/Announcer.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { playerPosition } from './pagePlayer.js';
import classes from './PosterChooser.module.css';
import { rereadActivity } from './rereadActivity.js';
import { sendPoster } from './sendPoster.js';
import { useStoryboard } from './useStoryboard.js';
import page from './VideoPage.module.css';

const MOST_FRAMES = 12;

type Choice = number | 'shown' | 'automatic' | File;

interface Props {
  readonly video: {
    readonly id: string;
    readonly thumbnailUrl: string | null;
    readonly playableRungs: readonly string[];
    readonly width: number | null;
    readonly height: number | null;
  };
}

/** Chooses the poster: a frame of the video, the one shown in the player, or an uploaded picture. */
export default function PosterChooser({ video }: Props) {
  const { data, refetch } = useQuery(VideoPosterDocument, { variables: { id: video.id } });
  const client = useApolloClient();
  const [setPoster] = useMutation(SetPosterDocument);
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState<Choice | null>(null);
  const { run, busy, error } = useAction(async (choice: Choice) => {
    setChosen(choice);
    if (choice instanceof File) {
      await sendPoster(video.id, choice);
      await refetch();
    } else {
      const atSeconds = choice === 'automatic' ? null : choice === 'shown' ? playerPosition() : choice;
      await setPoster({ variables: { id: video.id, atSeconds } });
    }
    announce(words.posterChooser.posterChanged);
    rereadActivity(client);
  });

  const hasPicture = video.playableRungs.some((quality) => quality !== 'AUDIO');
  return (
    <section className={`panel ${page['card']}`} aria-labelledby="poster-title" aria-busy={busy}>
      <Title order={2} id="poster-title">
        {words.posterChooser.poster}
      </Title>
      {video.thumbnailUrl ? (
        <img
          className={classes['poster']}
          // Keeps its place until it has loaded. An uploaded picture of another shape is shown within it.
          style={{ aspectRatio: (video.width ?? 16) / (video.height ?? 9) }}
          src={video.thumbnailUrl}
          alt={words.posterChooser.currentPoster}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {words.posterChooser.noPosterYet}
        </Text>
      )}
      {open ? (
        <>
          {hasPicture ? (
            <Frames
              videoId={video.id}
              chosen={busy && typeof chosen === 'number' ? chosen : null}
              disabled={busy}
              onChoose={(atSeconds) => void run(atSeconds)}
            />
          ) : null}
          <Group gap="xs">
            {hasPicture ? (
              <Button
                size="xs"
                variant="default"
                loading={busy && chosen === 'shown'}
                disabled={busy}
                onClick={() => void run('shown')}
              >
                {words.posterChooser.byCurrentFrame}
              </Button>
            ) : null}
            <FileButton accept="image/jpeg,image/png" onChange={(file) => (file ? void run(file) : undefined)}>
              {(props) => (
                <Button
                  {...props}
                  size="xs"
                  variant="default"
                  leftSection={<Icon name="upload" size={15} />}
                  loading={busy && chosen instanceof File}
                  disabled={busy}
                >
                  {words.posterChooser.uploadImage}
                </Button>
              )}
            </FileButton>
            {data?.video?.posterChosen ? (
              <Button
                size="xs"
                variant="subtle"
                loading={busy && chosen === 'automatic'}
                disabled={busy}
                onClick={() => void run('automatic')}
              >
                {words.posterChooser.resetFirstPoster}
              </Button>
            ) : null}
          </Group>
          <FormError error={error} />
          <Text size="xs" c="dimmed">
            {words.posterChooser.jpegPngUp5}
          </Text>
        </>
      ) : (
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="edit" size={15} />}
            onClick={() => setOpen(true)}
          >
            {words.posterChooser.chooseFrame}
          </Button>
        </div>
      )}
    </section>
  );
}

interface FramesProps {
  readonly videoId: string;
  /** The one that is being saved. */
  readonly chosen: number | null;
  readonly disabled: boolean;
  readonly onChoose: (atSeconds: number) => void;
}

function Frames({ videoId, chosen, disabled, onChoose }: FramesProps) {
  const { frames, error } = useStoryboard(videoId, MOST_FRAMES);
  if (frames === null)
    return <Skeleton height={150} role="status" aria-busy="true" aria-label={words.posterChooser.loadingFrames} />;
  if (error) return <FormError error={error} />;
  if (frames.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {words.posterChooser.videoTooShortChoose}
      </Text>
    );
  }
  return (
    <ul className={classes['frames']} aria-label={words.posterChooser.videoFrames}>
      {frames.map((frame) => (
        <li key={frame.atSeconds}>
          <button
            type="button"
            className={classes['frame']}
            disabled={disabled}
            data-chosen={frame.atSeconds === chosen || undefined}
            aria-label={words.posterChooser.byFrameAt(showDuration(frame.atSeconds))}
            onClick={() => onChoose(frame.atSeconds)}
            style={{
              aspectRatio: frame.aspect,
              backgroundImage: `url("${frame.sheetUrl}")`,
              backgroundSize: frame.size,
              backgroundPosition: frame.position,
            }}
          >
            <span className={`${classes['time']} num`} aria-hidden="true">
              {showDuration(frame.atSeconds)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
