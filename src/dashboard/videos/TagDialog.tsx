import { words } from '#words/videos.js';
import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Modal, Stack, TagsInput, Text } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { ChangeVideoTagsDocument, VideoTagsDocument } from '../generated/graphql.js';
import { FormError } from '../parts/States.js';
import { showToast, UNDO_MS } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import { lineOf } from '../app/words.js';
import { inBatches } from './inBatches.js';
import { type TagChange, undoOf } from './tagChanges.js';
import type { ListedVideo } from './useVideoList.js';

interface Props {
  readonly videos: readonly ListedVideo[];
  readonly onClose: () => void;
}

/** Adds tags to several videos, or removes tags from them. */
export default function TagDialog({ videos, onClose }: Props) {
  const client = useApolloClient();
  const { data } = useQuery(VideoTagsDocument);
  const [changeTags] = useMutation(ChangeVideoTagsDocument);
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const present = [...new Set(videos.flatMap(({ tags }) => tags))].sort();

  const { run, busy, error } = useAction(async () => {
    const ids = videos.map(({ id }) => id);
    const changed = await change([{ ids, add, remove }]);
    const left = ids.length - changed.size;
    const undo = undoOf(videos, changed, { add, remove });
    showToast({
      kind: left > 0 ? 'plain' : 'good',
      title: words.tagDialog.tagsVideosChanged(changed.size),
      ...(left > 0 ? { message: words.tagDialog.wouldHaveHadMore(left) } : {}),
      ...(undo.length > 0 && {
        durationMs: UNDO_MS,
        action: { label: words.tagDialog.undo, run: () => void takeBack(undo) },
      }),
    });
    onClose();
  });

  /** @returns the videos that were changed; those that would have too many tags are not */
  async function change(changes: readonly TagChange[]): Promise<Set<string>> {
    const changed = new Set<string>();
    try {
      for (const { ids, ...tags } of changes) {
        await inBatches(ids, words.tagDialog.progress, async (some) => {
          const { data: answer } = await changeTags({
            variables: { ids: some, add: [...tags.add], remove: [...tags.remove] },
          });
          for (const id of answer?.changeVideoTags ?? []) changed.add(id);
        });
      }
    } finally {
      await client.refetchQueries({ include: ['Videos', 'VideoTags'] });
    }
    return changed;
  }

  async function takeBack(changes: readonly TagChange[]): Promise<void> {
    try {
      await change(changes);
    } catch (failure) {
      showToast({ kind: 'bad', title: words.tagDialog.couldNotUndo, message: lineOf(failure) });
    }
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <Modal opened onClose={onClose} title={words.tagDialog.tagsVideos(videos.length)}>
      <form onSubmit={submit}>
        <Stack>
          <TagsInput
            label={words.tagDialog.add}
            placeholder={words.tagDialog.typeTagPressEnter}
            data={data?.videoTags.map(({ tag }) => tag) ?? []}
            value={add}
            onChange={setAdd}
            acceptValueOnBlur
            maxTags={20}
            data-autofocus
          />
          {present.length > 0 ? (
            <TagsInput
              label={words.tagDialog.remove}
              placeholder={words.tagDialog.chooseFromTheirTags}
              data={present}
              value={remove}
              onChange={(tags) => setRemove(tags.filter((tag) => present.includes(tag)))}
            />
          ) : (
            <Text size="sm" c="dimmed">
              {words.tagDialog.noTagsYet}
            </Text>
          )}
          <FormError error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words.tagDialog.cancel}
            </Button>
            <Button type="submit" loading={busy} disabled={add.length + remove.length === 0}>
              {words.tagDialog.changeTags}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
