import { words } from '#words/video.js';
import { useQuery } from '@apollo/client/react';
import { Text } from '@mantine/core';
import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { VideoCaptionsDocument } from '../../generated/graphql.js';
import { showTimecode } from '../captions/timecode.js';
import { followPlayer, playerPosition, seekPlayer } from '../pagePlayer.js';
import { useStoryboard } from '../useStoryboard.js';
import classes from './ScrubBar.module.css';

const STEP_SECONDS = 1;
const LEAP_SECONDS = 10;

/** As a new chapter's start is written. */
const wholeSeconds = (seconds: number): string => showTimecode(Math.floor(seconds));

interface Props {
  readonly videoId: string;
  readonly durationSeconds: number;
}

/** The whole video as one line with its chapters: finds a moment by its picture, also before the video is played. */
export function ScrubBar({ videoId, durationSeconds }: Props) {
  // The list of chapters beside it reads them.
  const { data } = useQuery(VideoCaptionsDocument, { variables: { id: videoId }, fetchPolicy: 'cache-only' });
  const chapters = data?.video?.chapters ?? [];
  const [position, setPosition] = useState(playerPosition);
  /** Where the pointer is, in seconds; null if it is elsewhere. */
  const [pointed, setPointed] = useState<number | null>(null);
  const [isFocused, setIsFocused] = useState(false);
  const [isUsed, setIsUsed] = useState(false);
  // Pictures need a token, so they load on the first use.
  const { frames } = useStoryboard(isUsed ? videoId : null, Infinity);
  const track = useRef<HTMLDivElement>(null);
  useEffect(() => followPlayer(setPosition), []);

  function moveTo(seconds: number): void {
    const within = Math.min(durationSeconds, Math.max(0, seconds));
    setPosition(within);
    seekPlayer(within);
  }

  function press(event: KeyboardEvent): void {
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: position - STEP_SECONDS,
      ArrowDown: position - STEP_SECONDS,
      ArrowRight: position + STEP_SECONDS,
      ArrowUp: position + STEP_SECONDS,
      PageDown: position - LEAP_SECONDS,
      PageUp: position + LEAP_SECONDS,
      Home: 0,
      End: durationSeconds,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    moveTo(target);
  }

  function secondsAt({ clientX }: PointerEvent): number {
    const { left, width } = track.current!.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width)) * durationSeconds;
  }

  function point(event: PointerEvent): void {
    setIsUsed(true);
    setPointed(secondsAt(event));
    if (event.currentTarget.hasPointerCapture(event.pointerId)) moveTo(secondsAt(event));
  }

  const chapterAt = (seconds: number): string | undefined =>
    chapters.findLast(({ startSeconds }) => startSeconds <= seconds)?.title;
  const share = (seconds: number): string => `${(seconds / durationSeconds) * 100}%`;
  const shown = pointed ?? (isFocused ? position : null);
  const frame = shown === null ? undefined : (frames?.findLast(({ atSeconds }) => atSeconds <= shown) ?? frames?.[0]);

  return (
    <div className={classes['scrub']}>
      {shown === null ? null : (
        <div
          className={classes['preview']}
          style={{ insetInlineStart: `clamp(84px, ${share(shown)}, calc(100% - 84px))` }}
          aria-hidden="true"
        >
          {frame ? (
            <div
              className={classes['frame']}
              style={{
                aspectRatio: frame.aspect,
                backgroundImage: `url("${frame.sheetUrl}")`,
                backgroundSize: frame.size,
                backgroundPosition: frame.position,
              }}
            />
          ) : null}
          <span className="num">{words.scrub.at(wholeSeconds(shown), chapterAt(shown))}</span>
        </div>
      )}
      <div
        ref={track}
        role="slider"
        tabIndex={0}
        aria-label={words.scrub.position}
        aria-valuemin={0}
        aria-valuemax={durationSeconds}
        aria-valuenow={position}
        aria-valuetext={words.scrub.at(wholeSeconds(position), chapterAt(position))}
        className={classes['track']}
        onKeyDown={press}
        onFocus={() => {
          setIsFocused(true);
          setIsUsed(true);
        }}
        onBlur={() => setIsFocused(false)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          point(event);
        }}
        onPointerMove={point}
        onPointerLeave={() => setPointed(null)}
        // A touch ends without leaving.
        onPointerUp={({ pointerType }) => (pointerType === 'mouse' ? undefined : setPointed(null))}
      >
        <div className={classes['line']}>
          <div className={classes['played']} style={{ width: share(position) }} />
          {chapters.map(({ startSeconds }) => (
            <i key={startSeconds} style={{ insetInlineStart: share(startSeconds) }} />
          ))}
        </div>
        <div className={classes['thumb']} style={{ insetInlineStart: share(position) }} />
      </div>
      <Text size="xs" c="dimmed" className={classes['under'] ?? ''} component="div">
        <span className="num">
          {wholeSeconds(position)} / {wholeSeconds(durationSeconds)}
        </span>
        <span>{words.scrub.hint}</span>
      </Text>
    </div>
  );
}
