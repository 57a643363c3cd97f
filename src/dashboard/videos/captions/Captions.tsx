import { words } from '#words/captions.js';
import { useMutation } from '@apollo/client/react';
import { Button, Text, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import { DeleteCaptionsDocument, type CaptionFieldsFragment } from '../../generated/graphql.js';
import { announce } from '../../parts/Announcer.js';
import { Changes } from '../../parts/Changes.js';
import { ConfirmDialog } from '../../parts/ConfirmDialog.js';
import { Icon } from '../../parts/Icon.js';
import page from '../VideoPage.module.css';
import { AddCaptions } from './AddCaptions.js';
import { CaptionRow } from './CaptionRow.js';
import classes from './captions.module.css';

const MOST = 20;

interface Props {
  readonly videoId: string;
  readonly isMade: boolean;
  readonly captions: readonly CaptionFieldsFragment[];
  readonly onChanged: () => void;
}

/** The caption tracks, in menu order. */
export function Captions({ videoId, isMade, captions, onChanged }: Props) {
  const [deleteCaptions] = useMutation(DeleteCaptionsDocument);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<CaptionFieldsFragment>();
  const [asks, setAsks] = useState(false);
  const title = useRef<HTMLHeadingElement>(null);

  function close(): void {
    setAdding(false);
    // The focused element is gone.
    title.current?.focus();
  }

  function changed(words: string): void {
    announce(words);
    close();
    onChanged();
  }

  return (
    <section className={`panel ${page['card']}`} aria-labelledby="captions-title">
      <div className={classes['head']}>
        <Title order={2} id="captions-title" ref={title} tabIndex={-1} className={classes['title'] ?? ''}>
          {words.captions.captions}
        </Title>
        {adding || captions.length >= MOST ? null : (
          <Changes>
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="plus" size={15} />}
              onClick={() => setAdding(true)}
            >
              {words.captions.addCaptions}
            </Button>
          </Changes>
        )}
      </div>
      {captions.length === 0 && !adding ? (
        <Text size="sm" c="dimmed">
          {words.captions.thereNoneYet(isMade)}
        </Text>
      ) : null}
      {captions.length > 0 ? (
        <ul className={classes['rows']} aria-label={words.captions.captionTracks}>
          {captions.map((caption) => (
            <CaptionRow
              key={caption.id}
              videoId={videoId}
              caption={caption}
              taken={captions.filter(({ id }) => id !== caption.id).map(({ label }) => label)}
              onChanged={changed}
              onRemove={() => {
                setRemoving(caption);
                setAsks(true);
              }}
              onClosed={close}
            />
          ))}
        </ul>
      ) : null}
      {adding ? (
        <AddCaptions
          videoId={videoId}
          taken={captions.map(({ label }) => label)}
          onAdded={(label) => changed(words.captions.wasAdded(label))}
          onCancel={close}
        />
      ) : null}
      <ConfirmDialog
        opened={asks}
        title={words.captions.remove(removing?.label ?? '')}
        verb={words.captions.confirmRemoval}
        onClose={() => setAsks(false)}
        onConfirm={async () => {
          if (!removing) return;
          await deleteCaptions({ variables: { videoId, captionId: removing.id } });
          changed(words.captions.wasRemoved(removing.label));
        }}
      >
        {words.captions.viewersNoLongerFind(removing?.origin === 'SOURCE')}
      </ConfirmDialog>
    </section>
  );
}
