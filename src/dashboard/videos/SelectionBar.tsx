import { showNumber } from '../lib/format.js';
import { useApolloClient } from '@apollo/client/react';
import { Button, CloseButton } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Icon } from '../parts/Icon.js';
import { deleteWithUndo } from './pendingDeletes.js';
import classes from './SelectionBar.module.css';
import type { Selection } from './useSelection.js';
import { readLive, type ListedVideo } from './useVideoList.js';
import { canBeProcessed } from './words.js';

const TagDialog = lazy(() => import('./TagDialog.js'));
const ProcessDialog = lazy(() => import('./ProcessDialog.js'));

/** What can be done with the ticked videos. Shown while there are any. */
export function SelectionBar({ selection }: { selection: Selection<ListedVideo> }) {
  const client = useApolloClient();
  const [open, setOpen] = useState<'tags' | 'process'>();
  const { selected, clear } = selection;
  const processable = selected.map((video) => ({ ...video, ...readLive(client, video.id) })).filter(canBeProcessed);
  const count = selected.length === 1 ? '1 video' : `${showNumber(selected.length)} videos`;

  function remove(): void {
    deleteWithUndo(client, selected);
    clear();
  }

  return (
    <>
      {selected.length > 0 ? (
        <section className={classes['bar']} aria-label="Selected videos">
          <b role="status" className="num">
            {count}
          </b>
          <div className={classes['actions']}>
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="tag" size={15} />}
              onClick={() => setOpen('tags')}
            >
              Tags
            </Button>
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="play" size={15} />}
              disabled={processable.length === 0}
              onClick={() => setOpen('process')}
            >
              Process{processable.length > 0 && processable.length < selected.length ? ` ${processable.length}` : ''}
            </Button>
            <Button size="xs" variant="default" leftSection={<Icon name="trash" size={15} />} onClick={remove}>
              Delete
            </Button>
          </div>
          <CloseButton aria-label="Select nothing" onClick={clear} />
        </section>
      ) : null}
      <Suspense fallback={null}>
        {open === 'tags' ? <TagDialog videos={selected} onClose={() => setOpen(undefined)} /> : null}
        {open === 'process' ? <ProcessDialog videos={processable} onClose={() => setOpen(undefined)} /> : null}
      </Suspense>
    </>
  );
}
