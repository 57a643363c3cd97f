import { useQuery } from '@apollo/client/react';
import { ActionIcon, Button, Group, NativeSelect, Stack, Switch, TextInput, Title } from '@mantine/core';
import { useRef, useState, type FormEvent } from 'react';
import { PriceListDocument, type Quality } from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import { showBytes } from '../lib/format.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { QUALITIES, showQuality } from '../videos/words.js';
import classes from './DraftForm.module.css';
import { useUploads } from './useUploads.js';

interface Props {
  readonly files: readonly File[];
  readonly onRemove: (file: File) => void;
}

/** What the chosen files are to become, before the first byte is sent. */
export function DraftForm({ files, onRemove }: Props) {
  const { queue } = useUploads();
  const { data } = useQuery(PriceListDocument, { fetchPolicy: 'cache-first' });
  const titles = useRef(new Map<File, string>());
  const [quality, setQuality] = useState<Quality>('P1080');
  const [autoProcess, setAutoProcess] = useState(true);
  const { run, busy, error } = useAction(async () => {
    for (const file of files) {
      const title = (titles.current.get(file) ?? titleOf(file)).trim() || file.name;
      await queue.add(file, { title, quality, autoProcess });
      // One by one: what was refused stays here with what was typed.
      onRemove(file);
    }
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  const rateOf = (wanted: Quality): string | undefined =>
    data?.priceList.processing.find(({ quality: offered }) => offered === wanted)?.creditsPerMinute;

  return (
    <form onSubmit={submit} className={`panel ${classes['form']}`} aria-labelledby="drafts-title">
      <Title order={2} id="drafts-title">
        {files.length === 1 ? 'New video' : `${files.length} new videos`}
      </Title>
      <Stack gap="md" component="ul" className={classes['files'] ?? ''}>
        {files.map((file, index) => (
          <li key={`${file.name}-${file.lastModified}-${index}`} className={classes['file']}>
            <TextInput
              label="Title"
              description={`${file.name} · ${showBytes(file.size)}`}
              inputWrapperOrder={['label', 'input', 'description']}
              defaultValue={titleOf(file)}
              maxLength={200}
              className={classes['title'] ?? ''}
              onChange={(event) => titles.current.set(file, event.currentTarget.value)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              mt={27}
              aria-label={`Leave out ${file.name}`}
              onClick={() => onRemove(file)}
            >
              <Icon name="close" size={18} />
            </ActionIcon>
          </li>
        ))}
      </Stack>
      <Group align="flex-start" gap="lg">
        <NativeSelect
          label="Quality"
          description="Lower ones come with it. Never above what the file has."
          inputWrapperOrder={['label', 'input', 'description']}
          className={classes['quality'] ?? ''}
          value={quality}
          data={QUALITIES.map((value) => {
            const rate = rateOf(value);
            return { value, label: showQuality(value) + (rate ? `, ${showCredits(rate)} credits a minute` : '') };
          })}
          onChange={(event) => setQuality(event.currentTarget.value as Quality)}
        />
        <Switch
          mt={30}
          className={classes['auto'] ?? ''}
          label="Process automatically"
          description="Off: you see the exact price first and confirm it."
          checked={autoProcess}
          onChange={(event) => setAutoProcess(event.currentTarget.checked)}
        />
      </Group>
      <FormError error={error} />
      <Group>
        <Button type="submit" loading={busy} leftSection={<Icon name="upload" size={18} />}>
          {files.length === 1 ? 'Upload' : `Upload ${files.length} files`}
        </Button>
      </Group>
    </form>
  );
}

/** "summer_party-2024.mov" → "summer party 2024". */
function titleOf({ name }: File): string {
  const words = name
    .replace(/\.[^.]+$/, '')
    .replaceAll(/[_-]+/g, ' ')
    .trim();
  return words || name;
}
