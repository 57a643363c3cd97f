import { words } from '#words/captions.js';
import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import type { ChapterInput } from '../../generated/graphql.js';
import { Icon } from '../../parts/Icon.js';
import { FormError } from '../../parts/States.js';
import { useAction } from '../../parts/useAction.js';
import { playerPosition } from '../pagePlayer.js';
import { beginHere } from './beginHere.js';
import { chaptersOf, faultsOf, MOST_CHAPTERS, type ChapterDraft } from './chapterDrafts.js';
import { FormButtons } from './FormButtons.js';
import { SlowNotice } from './SlowNotice.js';
import classes from './captions.module.css';
import { showTimecode } from './timecode.js';

interface Props {
  readonly chapters: readonly ChapterInput[];
  readonly durationSeconds: number | null;
  /** Rejects on failure; the input stays. */
  readonly onSave: (chapters: readonly ChapterInput[]) => Promise<void>;
  readonly onCancel: () => void;
}

/** Edits all chapters at once, as the service saves them. */
export function ChapterEditor({ chapters, durationSeconds, onSave, onCancel }: Props) {
  const [drafts, setDrafts] = useState(() =>
    chapters.length > 0
      ? chapters.map(({ startSeconds, title }, row) => ({ row, start: showTimecode(startSeconds), title }))
      : [{ row: 0, start: '0:00', title: '' }],
  );
  /** The row that was just added; its start is already filled in. */
  const [begun, setBegun] = useState(0);
  const [showsFaults, setShowsFaults] = useState(false);
  const { run, busy, error } = useAction(onSave);
  const faults = faultsOf(drafts, durationSeconds);

  const change = (row: number, part: Partial<ChapterDraft>): void =>
    setDrafts((before) => before.map((draft) => (draft.row === row ? { ...draft, ...part } : draft)));

  function add(): void {
    const here = showTimecode(Math.floor(playerPosition()));
    const start = drafts.some((draft) => draft.start === here) ? '' : here;
    const row = Math.max(-1, ...drafts.map((draft) => draft.row)) + 1;
    setDrafts([...drafts, { row, start, title: '' }]);
    setBegun(row);
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    setShowsFaults(true);
    if (faults.size === 0) void run(chaptersOf(drafts));
  }

  return (
    <form
      onSubmit={submit}
      className={classes['form']}
      aria-label={words.chapterEditor.chapters}
      aria-busy={busy}
      noValidate
    >
      {drafts.map(({ row, start, title }, index) => {
        const fault = showsFaults ? faults.get(row) : undefined;
        return (
          <div key={row} className={classes['edited']} role="group" aria-label={words.chapterEditor.chapter(index + 1)}>
            <TextInput
              aria-label={words.chapterEditor.start}
              placeholder="1:30"
              className="num"
              error={fault?.start}
              value={start}
              onChange={({ currentTarget: { value } }) => change(row, { start: value })}
            />
            <TextInput
              aria-label={words.chapterEditor.title}
              placeholder={words.chapterEditor.title}
              maxLength={200}
              {...(row === begun ? { ref: beginHere } : {})}
              error={fault?.title}
              value={title}
              onChange={({ currentTarget: { value } }) => change(row, { title: value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={words.chapterEditor.remove(title || `chapter ${index + 1}`, index + 1)}
              onClick={() => setDrafts(drafts.filter((draft) => draft.row !== row))}
            >
              <Icon name="close" size={18} />
            </ActionIcon>
          </div>
        );
      })}
      {drafts.length < MOST_CHAPTERS ? (
        <Group gap="xs">
          <Button size="xs" variant="default" leftSection={<Icon name="plus" size={15} />} onClick={add}>
            {words.chapterEditor.addChapter}
          </Button>
          <Text size="xs" c="dimmed">
            {words.chapterEditor.startsAtPlayersCurrent}
          </Text>
        </Group>
      ) : null}
      <SlowNotice busy={busy}>{words.chapterEditor.savingChapters}</SlowNotice>
      <FormError error={error} />
      <FormButtons verb={words.chapterEditor.save} busy={busy} onCancel={onCancel} />
    </form>
  );
}
