import { words } from '#words/captions.js';
import { useMutation } from '@apollo/client/react';
import { Button, Group, Text, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import { SetChaptersDocument, type ChapterInput, type VideoChaptersFragment } from '../../generated/graphql.js';
import { showDuration } from '../../lib/format.js';
import { announce } from '../../parts/Announcer.js';
import { Changes } from '../../parts/Changes.js';
import { ConfirmDialog } from '../../parts/ConfirmDialog.js';
import { Icon } from '../../parts/Icon.js';
import { seekPlayer } from '../pagePlayer.js';
import page from '../VideoPage.module.css';
import { ChapterEditor } from './ChapterEditor.js';
import classes from './captions.module.css';

const FEW = 12;

interface Props {
  readonly videoId: string;
  readonly isMade: boolean;
  readonly chapters: VideoChaptersFragment['chapters'];
  /** Null until it is known. */
  readonly durationSeconds: number | null;
  readonly onChanged: () => void;
}

/** The chapters of a video and their starts. */
export function Chapters({ videoId, isMade, chapters, durationSeconds, onChanged }: Props) {
  const [setChapters] = useMutation(SetChaptersDocument);
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? chapters : chapters.slice(0, FEW);
  const title = useRef<HTMLHeadingElement>(null);

  function close(): void {
    setEditing(false);
    // The focused element is gone.
    title.current?.focus();
  }

  async function save(next: readonly ChapterInput[]): Promise<void> {
    await setChapters({ variables: { videoId, chapters: [...next] } });
    announce(next.length === 0 ? words.chapters.chaptersRemoved : words.chapters.chaptersSaved);
    close();
    onChanged();
  }

  return (
    <section className={`panel ${page['card']}`} aria-labelledby="chapters-title">
      <div className={classes['head']}>
        <Title order={2} id="chapters-title" ref={title} tabIndex={-1} className={classes['title'] ?? ''}>
          {words.chapters.chapters}
        </Title>
        {editing ? null : (
          <Changes>
            <Group gap={4}>
              {chapters.length > 0 ? (
                <Button size="xs" variant="subtle" color="gray" onClick={() => setRemoving(true)}>
                  {words.chapters.removeAll}
                </Button>
              ) : null}
              <Button
                size="xs"
                variant="default"
                aria-label={chapters.length > 0 ? words.chapters.editChapters : words.chapters.addChapters}
                leftSection={<Icon name={chapters.length > 0 ? 'edit' : 'plus'} size={15} />}
                onClick={() => setEditing(true)}
              >
                {chapters.length > 0 ? words.chapters.edit : words.chapters.addChapters}
              </Button>
            </Group>
          </Changes>
        )}
      </div>
      {editing ? (
        <ChapterEditor chapters={chapters} durationSeconds={durationSeconds} onSave={save} onCancel={close} />
      ) : chapters.length > 0 ? (
        <ol className={classes['chapters']} aria-label={words.chapters.chapters}>
          {shown.map((chapter) => (
            <li key={chapter.startSeconds} className={classes['chapter']}>
              <button
                type="button"
                className={`${classes['start']} num`}
                aria-label={words.chapters.goTo(showDuration(chapter.startSeconds))}
                onClick={() => seekPlayer(chapter.startSeconds)}
              >
                {showDuration(chapter.startSeconds)}
              </button>
              <span>{chapter.title}</span>
              {chapter.origin === 'SOURCE' ? (
                <span className={classes['origin']}>{words.chapters.fromFile}</span>
              ) : null}
            </li>
          ))}
        </ol>
      ) : (
        <Text size="sm" c="dimmed">
          {words.chapters.thereNoneYet(isMade)}
        </Text>
      )}
      {!editing && shown.length < chapters.length ? (
        <div>
          <Button size="compact-sm" variant="subtle" onClick={() => setShowsAll(true)}>
            {words.chapters.showAll(chapters.length)}
          </Button>
        </div>
      ) : null}
      <ConfirmDialog
        opened={removing}
        title={words.chapters.removeAllChapters}
        verb={words.chapters.remove}
        onClose={() => setRemoving(false)}
        onConfirm={() => save([])}
      >
        {words.chapters.viewersNoLongerFind(chapters.some(({ origin }) => origin === 'SOURCE'))}
      </ConfirmDialog>
    </section>
  );
}
