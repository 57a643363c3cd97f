import { words } from '#words/upload.js';
import { useQuery } from '@apollo/client/react';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState, type FormEvent, useEffect } from 'react';
import { isTestMode } from '../session/mode.js';
import { PriceListDocument } from '../generated/graphql.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { chooseForAll, chooseForOne, choiceOf, followShared } from '../processing/batch.js';
import { feasible } from '../processing/choice.js';
import classes from './DraftForm.module.css';
import { DraftFunding } from './DraftFunding.js';
import { DraftRow } from './DraftRow.js';
import { titleOf } from './drafts.js';
import { TestFaultFields } from './TestFaultFields.js';
import type { TestFault } from './types.js';
import { useDrafts } from './useDrafts.js';
import { useUploads } from './useUploads.js';
import { WishesFields } from './WishesFields.js';
import { readFileFacts, type FileFacts } from './fileFacts.js';

/** The service processes test videos in this way, and in no other. */
const TEST_CHOICE = {
  quality: 'P480',
  branding: false,
  encryption: false,
  normalizeLoudness: false,
  autoProcess: true,
} as const;

/** Options for the chosen files, before the first byte is sent: for all of them, or for single ones. */
export function DraftForm() {
  const { queue } = useUploads();
  const { store, drafts } = useDrafts();
  const { data } = useQuery(PriceListDocument, { fetchPolicy: 'cache-first' });
  const prices = data?.priceList;
  const { files } = drafts;
  const isAlone = files.length === 1;
  // The only file left turns its own options into the shared ones.
  const wishes = isAlone ? { shared: choiceOf(drafts.wishes, files[0]), own: new Map() } : drafts.wishes;
  const own = wishes.own.size;
  const facts = useFileFacts(files);
  const [fault, setFault] = useState<TestFault>({ testFault: null, testFaultSeconds: null });

  const { run, busy, error } = useAction(async () => {
    for (const file of files) {
      // Read the current state: the user may keep typing while the others are being sent.
      const now = store.snapshot();
      if (!now.files.includes(file)) continue;
      const title = titleOf(now, file).trim() || file.name;
      const choice = isTestMode ? { ...TEST_CHOICE, ...fault } : feasible(choiceOf(now.wishes, file));
      await queue.add(file, { ...choice, title });
      // One by one, so that a refused file stays here with its input.
      store.remove(file);
    }
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit} className={`panel ${classes['form']}`} aria-labelledby="drafts-title">
      <Title order={2} id="drafts-title">
        {isAlone ? words.draftForm.newVideo : words.draftForm.newVideos(files.length)}
      </Title>
      {isTestMode ? (
        <>
          <Text size="sm">{words.draftForm.testNote}</Text>
          <TestFaultFields value={fault} onChange={setFault} />
        </>
      ) : (
        <>
          <WishesFields
            wishes={wishes.shared}
            prices={prices}
            label={isAlone ? words.draftForm.quality : words.draftForm.qualityAll}
            onChange={(change) => store.change(() => ({ wishes: chooseForAll(wishes, change) }))}
          />
          <DraftFunding files={files} facts={facts} wishes={wishes} prices={prices} />
        </>
      )}
      {isAlone || isTestMode ? null : (
        <Text size="sm" c="dimmed" role="status">
          {own === 0
            ? words.draftForm.appliesAllFilesCan(files.length)
            : words.draftForm.appliesFilesOwn1(files.length - own, files.length, own)}
        </Text>
      )}
      <Stack gap="sm" component="ul" className={classes['files'] ?? ''}>
        {files.map((file, index) => (
          <DraftRow
            key={`${file.name}-${file.lastModified}-${index}`}
            file={file}
            facts={facts.get(file) ?? null}
            title={titleOf(drafts, file)}
            wishes={choiceOf(wishes, file)}
            prices={prices}
            isAlone={isAlone || isTestMode}
            isOwn={wishes.own.has(file)}
            onTitle={(title) => store.change(({ titles }) => ({ titles: new Map(titles).set(file, title) }))}
            onChange={(change) => store.change((before) => ({ wishes: chooseForOne(before.wishes, file, change) }))}
            onFollow={() => store.change((before) => ({ wishes: followShared(before.wishes, file) }))}
            onRemove={() => store.remove(file)}
          />
        ))}
      </Stack>
      <FormError error={error} />
      <Group>
        <Button type="submit" loading={busy} leftSection={<Icon name="upload" size={18} />}>
          {isAlone ? words.draftForm.upload : words.draftForm.uploadFiles(files.length)}
        </Button>
        {busy ? <span role="status">{words.draftForm.left(files.length)}</span> : null}
      </Group>
    </form>
  );
}

/** Null for files that the browser cannot open. Kept while the files are, so that another visit reads nothing again. */
const read = new WeakMap<File, FileFacts | null>();

/** The facts of these files, as they become known: one file after the other. */
function useFileFacts(files: readonly File[]): ReadonlyMap<File, FileFacts | null> {
  const [, setCount] = useState(0);
  useEffect(() => {
    let isLive = true;
    void (async () => {
      for (const file of files) {
        if (read.has(file)) continue;
        const facts = await readFileFacts(file);
        read.set(file, facts);
        if (!isLive) return;
        setCount((count) => count + 1);
      }
    })();
    return () => {
      isLive = false;
    };
  }, [files]);
  return new Map(files.flatMap((file) => (read.has(file) ? [[file, read.get(file) ?? null] as const] : [])));
}
