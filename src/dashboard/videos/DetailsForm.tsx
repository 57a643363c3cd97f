import { words } from '#words/video.js';
import { useApolloClient, useMutation } from '@apollo/client/react';
import { ActionIcon, Button, Group, TagsInput, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useEffect, useState, type FormEvent } from 'react';
import { UpdateVideoDocument } from '../generated/graphql.js';
import { announce } from '../parts/Announcer.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { rereadActivity } from './rereadActivity.js';
import classes from './VideoPage.module.css';
import type { VideoDetails } from './videoDetails.js';

interface Pair {
  readonly row: number;
  readonly key: string;
  readonly value: string;
}

/** What is in the form. */
export interface DetailsDraft {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly pairs: readonly Pair[];
}

interface Props {
  readonly video: VideoDetails;
  /** What was typed and not saved, which outlives the form; null if there is nothing. */
  readonly draft: DetailsDraft | null;
  readonly onDraft: (draft: DetailsDraft | null) => void;
}

/** The details that owners edit. Live updates never replace what is being typed. */
export default function DetailsForm({ video, draft, onDraft }: Props) {
  const client = useApolloClient();
  const [updateVideo] = useMutation(UpdateVideoDocument);
  const [entered, setEntered] = useState<DetailsDraft>(() => draft ?? detailsOf(video));
  const { title, description, tags, pairs } = entered;
  const enter = (part: Partial<DetailsDraft>): void => setEntered((before) => ({ ...before, ...part }));
  // Send only changed fields: old text that would be refused today must not block the others.
  const metadata = pairs.filter(({ key }) => key.trim() !== '').map(({ key, value }) => ({ key: key.trim(), value }));
  const changes = {
    ...(title.trim() !== video.title.trim() && { title: title.trim() }),
    ...(description !== video.description && { description }),
    ...(differs(tags, video.tags) && { tags: [...tags] }),
    ...(differs(
      pairs.map(({ key, value }) => [key, value]),
      video.metadata.map(({ key, value }) => [key, value]),
    ) && { metadata }),
  };
  const isSaved = Object.keys(changes).length === 0;
  useEffect(() => onDraft(isSaved ? null : entered), [onDraft, entered, isSaved]);
  const { run, busy, error } = useAction(async () => {
    await updateVideo({ variables: { id: video.id, input: changes } });
    announce(words.detailsForm.saved);
    rereadActivity(client);
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit} className={`panel ${classes['card']}`} aria-labelledby="details-title">
      <Title order={2} id="details-title">
        {words.detailsForm.details}
      </Title>
      <TextInput
        label={words.detailsForm.title}
        required
        withAsterisk={false}
        maxLength={200}
        value={title}
        onChange={(event) => enter({ title: event.currentTarget.value })}
      />
      <Textarea
        label={words.detailsForm.description}
        autosize
        minRows={2}
        maxRows={8}
        value={description}
        onChange={(event) => enter({ description: event.currentTarget.value })}
      />
      <TagsInput
        label={words.detailsForm.tags}
        placeholder={words.detailsForm.typeTagPressEnter}
        value={[...tags]}
        onChange={(next) => enter({ tags: next })}
        clearable
        clearButtonProps={{ 'aria-label': words.detailsForm.removeAllTags }}
      />
      <MetadataPairs pairs={pairs} onChange={(next) => enter({ pairs: next })} />
      <FormError error={error} />
      <Group>
        <Button type="submit" loading={busy} disabled={isSaved}>
          {words.detailsForm.save}
        </Button>
        {isSaved ? null : (
          <Text size="sm" c="dimmed">
            {words.detailsForm.unsavedChanges}
          </Text>
        )}
      </Group>
    </form>
  );
}

function detailsOf({ title, description, tags, metadata }: VideoDetails): DetailsDraft {
  return { title, description, tags, pairs: metadata.map(({ key, value }, row) => ({ row, key, value })) };
}

function differs(entered: unknown, stored: unknown): boolean {
  return JSON.stringify(entered) !== JSON.stringify(stored);
}

/** Custom fields, which the API returns unchanged. */
function MetadataPairs({ pairs, onChange }: { pairs: readonly Pair[]; onChange: (pairs: readonly Pair[]) => void }) {
  const change = (row: number, next: Partial<Pair>): void =>
    onChange(pairs.map((pair) => (pair.row === row ? { ...pair, ...next } : pair)));

  return (
    <fieldset className={classes['metadata']}>
      <Text component="legend" size="sm" fw={600} mb={4}>
        {words.detailsForm.metadata}
      </Text>
      {pairs.map(({ row, key, value }) => (
        <div key={row} className={classes['pair']}>
          <TextInput
            aria-label={words.detailsForm.name}
            placeholder={words.detailsForm.name}
            maxLength={64}
            value={key}
            onChange={(event) => change(row, { key: event.currentTarget.value })}
          />
          <TextInput
            aria-label={words.detailsForm.value(key)}
            placeholder={words.detailsForm.valuePlaceholder}
            value={value}
            onChange={(event) => change(row, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={words.detailsForm.remove(key)}
            onClick={() => onChange(pairs.filter((pair) => pair.row !== row))}
          >
            <Icon name="close" size={18} />
          </ActionIcon>
        </div>
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          onClick={() => onChange([...pairs, { row: (pairs.at(-1)?.row ?? -1) + 1, key: '', value: '' }])}
        >
          {words.detailsForm.addField}
        </Button>
      </Group>
    </fieldset>
  );
}
