import { words } from '#words/videos.js';
import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Modal, Stack, TagsInput, Text } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { ChangeVideoTagsDocument, VideoTagsDocument } from '../generated/graphql.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import type { ListedVideo } from './useVideoList.js';

/** The service's maximum per request. */
const BATCH = 100;

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
    let changed = 0;
    for (let at = 0; at < ids.length; at += BATCH) {
      const answer = await changeTags({ variables: { ids: ids.slice(at, at + BATCH), add, remove } });
      changed += answer.data?.changeVideoTags.length ?? 0;
    }
    await client.refetchQueries({ include: ['Videos', 'VideoTags'] });
    const left = ids.length - changed;
    showToast({
      kind: left > 0 ? 'plain' : 'good',
      title: words.tagDialog.tagsVideosChanged(changed),
      ...(left > 0 ? { message: words.tagDialog.wouldHaveHadMore(left) } : {}),
    });
    onClose();
  });

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
