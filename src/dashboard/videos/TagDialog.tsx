import { words } from '#words/videos.js';
import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Modal, Stack, TagsInput, Text, type TagsInputProps } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { ChangeVideoTagsDocument, VideoTagsDocument } from '../generated/graphql.js';
import { FormError } from '../parts/States.js';
import { showToast, UNDO_MS } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import { BatchCancel, BatchProgress } from '../parts/BatchProgress.js';
import { BATCH, inGroups, nameSome, type Outcome, sayMissing, withProgressToast } from '../parts/inBatches.js';
import { type TagChange, undoOf } from './tagChanges.js';
import { useBatch } from '../parts/useBatch.js';
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

  const batch = useBatch();

  const { run, busy, error } = useAction(async () => {
    const ids = videos.map(({ id }) => id);
    const outcome = await refreshed(batch.run(ids, changeSome({ add, remove })));
    const { done, refused, unknown, left, error: failure } = outcome;
    const undo = undoOf(videos, new Set(done), { add, remove });
    const lines = [
      ...(refused.length > 0 ? [words.tagDialog.wouldHaveHadMore(nameSome(videos, refused))] : []),
      // The dialog stays open with the reason.
      ...(unknown.length + left.length > 0
        ? [sayMissing(videos, { refused: [], unknown, left, error: undefined }, words.tagDialog.notChanged)]
        : []),
    ];
    if (done.length > 0 || failure === undefined) {
      showToast({
        kind: lines.length > 0 ? 'plain' : 'good',
        title:
          unknown.length + left.length > 0
            ? words.tagDialog.changedSome(done.length, ids.length)
            : words.tagDialog.tagsVideosChanged(done.length),
        ...(lines.length > 0 && { message: lines.join(' ') }),
        ...(undo.length > 0 && {
          durationMs: UNDO_MS,
          action: { label: words.tagDialog.undo, run: () => void takeBack(undo) },
        }),
      });
    }
    if (failure !== undefined) throw failure;
    onClose();
  });

  function changeSome(tags: Pick<TagChange, 'add' | 'remove'>) {
    return async (some: string[]): Promise<readonly string[]> => {
      const variables = { ids: some, add: [...tags.add], remove: [...tags.remove] };
      const { data: answer } = await changeTags({ variables });
      return answer?.changeVideoTags ?? [];
    };
  }

  async function refreshed(outcome: Promise<Outcome>): Promise<Outcome> {
    try {
      return await outcome;
    } finally {
      await client.refetchQueries({ include: ['Videos', 'VideoTags'] });
    }
  }

  async function takeBack(changes: readonly TagChange[]): Promise<void> {
    const total = changes.reduce((sum, { ids }) => sum + ids.length, 0);
    const act = (some: string[], tags: TagChange) => changeSome(tags)(some);
    const isOneRequest = changes.length === 1 && total <= BATCH;
    const undoing = isOneRequest
      ? inGroups(changes, act)
      : withProgressToast(words.tagDialog.progress(0, total), (signal, update) =>
          inGroups(changes, act, { signal, onProgress: (done) => update(words.tagDialog.progress(done, total)) }),
        );
    const outcome = await refreshed(undoing);
    if (outcome.refused.length + outcome.unknown.length + outcome.left.length === 0) return;
    showToast({
      kind: 'bad',
      title: words.tagDialog.couldNotUndo,
      message: sayMissing(videos, outcome, words.tagDialog.notChanged),
    });
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <Modal opened onClose={onClose} title={words.tagDialog.tagsVideos(videos.length)}>
      <form onSubmit={submit}>
        <Stack>
          <TagField
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
            <TagField
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
          <BatchProgress run={batch} text={words.tagDialog.progress} />
          <FormError error={error} />
          <Group justify="flex-end">
            <BatchCancel run={batch} onClose={onClose} />
            <Button type="submit" loading={busy} disabled={add.length + remove.length === 0}>
              {words.tagDialog.changeTags}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

type TagFieldProps = TagsInputProps & { readonly onChange: (tags: string[]) => void };

/** Its options hide once a tag is in: they would cover the buttons below, and a press would choose one of them. */
function TagField({ onChange, placeholder, ...props }: TagFieldProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <TagsInput
      {...props}
      // Beside tags, there is seldom space for it.
      placeholder={props.value?.length === 0 ? placeholder : undefined}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setIsOpen(true)}
      onDropdownClose={() => setIsOpen(false)}
      onChange={(tags) => {
        onChange(tags);
        setIsOpen(false);
      }}
    />
  );
}
