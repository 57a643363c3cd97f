import { useQuery } from '@apollo/client/react';
import { Button, Group, Stack, Title } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { PriceListDocument } from '../generated/graphql.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import classes from './DraftForm.module.css';
import { DraftRow } from './DraftRow.js';
import type { UploadWishes } from './types.js';
import { useUploads } from './useUploads.js';
import { WishesFields, type SharedWishes } from './WishesFields.js';

interface Props {
  readonly files: readonly File[];
  readonly onRemove: (file: File) => void;
}

const AT_FIRST: SharedWishes = {
  quality: 'P1080',
  autoProcess: true,
  branding: false,
  encryption: false,
  normalizeLoudness: false,
};

/** What the chosen files are to become, before the first byte is sent: for all of them, or for one by itself. */
export function DraftForm({ files, onRemove }: Props) {
  const { queue } = useUploads();
  const { data } = useQuery(PriceListDocument, { fetchPolicy: 'cache-first' });
  const [shared, setShared] = useState(AT_FIRST);
  const [own, setOwn] = useState<ReadonlyMap<File, Partial<UploadWishes>>>(new Map());
  const [sent, setSent] = useState(0);
  const wishesOf = (file: File): UploadWishes => {
    const wishes = { title: titleOf(file), ...shared, ...own.get(file) };
    // Sound alone has no picture for a logo.
    return { ...wishes, branding: wishes.branding && wishes.quality !== 'AUDIO' };
  };

  const { run, busy, error } = useAction(async () => {
    setSent(0);
    for (const file of files) {
      const wishes = wishesOf(file);
      await queue.add(file, { ...wishes, title: wishes.title.trim() || file.name });
      // One by one: what was refused stays here with what was typed.
      onRemove(file);
      setSent((before) => before + 1);
    }
  });

  function change(file: File, wishes: Partial<UploadWishes>): void {
    setOwn((before) => new Map(before).set(file, { ...before.get(file), ...wishes }));
  }

  function changeAll(wishes: Partial<SharedWishes>): void {
    setShared((before) => ({ ...before, ...wishes }));
    // Said for all, it holds for all: what one file had of its own is replaced.
    const names = Object.keys(wishes) as (keyof SharedWishes)[];
    setOwn((before) => new Map([...before].map(([file, theirs]) => [file, without(theirs, names)])));
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit} className={`panel ${classes['form']}`} aria-labelledby="drafts-title">
      <Title order={2} id="drafts-title">
        {files.length === 1 ? 'New video' : `${files.length} new videos`}
      </Title>
      <WishesFields wishes={shared} prices={data?.priceList} isForMany={files.length > 1} onChange={changeAll} />
      <Stack gap="sm" component="ul" className={classes['files'] ?? ''}>
        {files.map((file, index) => (
          <DraftRow
            key={`${file.name}-${file.lastModified}-${index}`}
            file={file}
            wishes={wishesOf(file)}
            isAlone={files.length === 1}
            onChange={(wishes) => change(file, wishes)}
            onRemove={() => onRemove(file)}
          />
        ))}
      </Stack>
      <FormError error={error} />
      <Group>
        <Button type="submit" loading={busy} leftSection={<Icon name="upload" size={18} />}>
          {files.length === 1 ? 'Upload' : `Upload ${files.length} files`}
        </Button>
        {busy && sent > 0 ? <span role="status">{sent} registered</span> : null}
      </Group>
    </form>
  );
}

function without(wishes: Partial<UploadWishes>, names: readonly string[]): Partial<UploadWishes> {
  return Object.fromEntries(Object.entries(wishes).filter(([name]) => !names.includes(name)));
}

/** "summer_party-2024.mov" → "summer party 2024". */
function titleOf({ name }: File): string {
  const words = name
    .replace(/\.[^.]+$/, '')
    .replaceAll(/[_-]+/g, ' ')
    .trim();
  return words || name;
}
