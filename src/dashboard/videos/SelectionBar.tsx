import { words } from '#words/videos.js';
import { useApolloClient } from '@apollo/client/react';
import { Button, CloseButton } from '@mantine/core';
import { Suspense, useState } from 'react';
import { lazy } from '../lib/lazy.js';
import { Changes } from '../parts/Changes.js';
import { Icon } from '../parts/Icon.js';
import { moveToBinOrSay, mustAsk } from './deletedVideos.js';
import classes from './SelectionBar.module.css';
import type { Selection } from './useSelection.js';
import { readLive, type ListedVideo } from './useVideoList.js';
import { canBeProcessed } from '../lib/videoStates.js';

const DeleteDialog = lazy(() => import('./DeleteDialog.js'));
const TagDialog = lazy(() => import('./TagDialog.js'));
const ProcessDialog = lazy(() => import('../processing/ProcessDialog.js'));

/** Actions for the selected videos. Shown while there are any. */
export function SelectionBar({ selection }: { selection: Selection<ListedVideo> }) {
  const client = useApolloClient();
  const [open, setOpen] = useState<{ readonly dialog: 'tags' | 'process' | 'delete' }>();
  const { selected, clear } = selection;
  const live = selected.map((video) => ({ ...video, ...readLive(client, video.id) }));
  const processable = live.filter(canBeProcessed);
  const count = words.selectionBar.videos(selected.length);

  // What a dialog began continues after it was closed, and must not close the one that is open by then.
  const close = (): void => setOpen((now) => (now === open ? undefined : now));

  function remove(): void {
    if (live.some(mustAsk)) return setOpen({ dialog: 'delete' });
    void moveToBinOrSay(client, live);
    clear();
  }

  return (
    <>
      {selected.length > 0 ? (
        <section className={classes['bar']} aria-label={words.selectionBar.selectedVideos} data-at-bottom="selection">
          <b role="status" className="num">
            {count}
          </b>
          <Changes>
            <div className={classes['actions']}>
              <Button
                size="xs"
                variant="default"
                leftSection={<Icon name="tag" size={15} />}
                onClick={() => setOpen({ dialog: 'tags' })}
              >
                {words.selectionBar.tags}
              </Button>
              <Button
                size="xs"
                variant="default"
                leftSection={<Icon name="play" size={15} />}
                disabled={processable.length === 0}
                onClick={() => setOpen({ dialog: 'process' })}
              >
                {words.selectionBar.process(
                  processable.length > 0 && processable.length < selected.length ? processable.length : undefined,
                )}
              </Button>
              <Button size="xs" variant="default" leftSection={<Icon name="trash" size={15} />} onClick={remove}>
                {words.selectionBar.deleteIt}
              </Button>
            </div>
          </Changes>
          <CloseButton aria-label={words.selectionBar.clearSelection} onClick={clear} />
        </section>
      ) : null}
      <Suspense fallback={null}>
        {open?.dialog === 'tags' ? <TagDialog videos={selected} onClose={close} /> : null}
        {open?.dialog === 'delete' ? <DeleteDialog videos={live} onClose={close} onDeleted={clear} /> : null}
        {open?.dialog === 'process' ? <ProcessDialog videos={processable} onClose={close} /> : null}
      </Suspense>
    </>
  );
}
