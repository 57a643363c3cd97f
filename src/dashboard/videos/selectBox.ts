import { words } from '#words/videos.js';
import type { ChangeEvent } from 'react';
import type { Selection } from './useSelection.js';
import type { ListedVideo } from './useVideoList.js';

/** Props of the checkbox that selects one video; with Shift, it selects all up to there. */
export function selectBox(selection: Selection<ListedVideo>, { id, title }: ListedVideo) {
  return {
    'aria-label': words.selectBox.select(title),
    checked: selection.has(id),
    onChange: (event: ChangeEvent<HTMLInputElement>) =>
      selection.toggle(id, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey),
  };
}
