import { useState } from 'react';

export type ListView = 'grid' | 'table';

const KEY = 'dhara.videos.view';

/** The view of the list, remembered by this browser. */
export function useListView(): readonly [ListView, (view: ListView) => void] {
  const [view, setView] = useState<ListView>(read);
  return [
    view,
    (next) => {
      setView(next);
      try {
        localStorage.setItem(KEY, next);
      } catch {
        // Switched off: then it is remembered until the page is left.
      }
    },
  ];
}

function read(): ListView {
  try {
    return localStorage.getItem(KEY) === 'grid' ? 'grid' : 'table';
  } catch {
    return 'table';
  }
}
