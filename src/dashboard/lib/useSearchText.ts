import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useLocation } from 'react-router';

/**
 * The text of a search field whose search is in the address. The address changes once nothing was typed for a moment, and
 * its page is rendered some time later. What was typed in between must stay.
 *
 * @param search the one in the address
 */
export function useSearchText(
  search: string,
  onSearch: (search: string) => void,
  pauseMs: number,
): readonly [string, (text: string) => void] {
  const { pathname } = useLocation();
  const [typed, setTyped] = useState(search);
  const [last, setLast] = useState(search);
  /** What this field put into the address. */
  const [asked, setAsked] = useState(search);
  if (search !== last) {
    setLast(search);
    // Changed elsewhere, such as by a link or "Show all": the field must match.
    if (search !== asked) {
      setAsked(search);
      setTyped(search);
    }
  }
  const searchLater = useDebouncedCallback((text: string) => {
    // Replaced by what was changed elsewhere in the meantime, or another page is loading, from which this would lead back.
    if (text !== typed.trim() || window.location.pathname !== pathname) return;
    setAsked(text);
    onSearch(text);
  }, pauseMs);

  function change(text: string): void {
    setTyped(text);
    searchLater(text.trim());
  }
  return [typed, change];
}
