import { words } from '#words/videos.js';
import type { ChangeEvent } from 'react';
import type { Selection } from './useSelection.js';
import type { ListedVideo } from './useVideoList.js';

/** What the box that ticks one video needs; with Shift it ticks all up to there. */
export function selectBox(selection: Selection<ListedVideo>, { id, title }: ListedVideo) {
  return {
    'aria-label': words.selectBox.select(title),
    checked: selection.has(id),
    onChange: (event: ChangeEvent<HTMLInputElement>) =>
      selection.toggle(id, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey),
  };
}
