import { useEffect } from 'react';
import { useLocation } from 'react-router';

/**
 * Scrolls to the anchor in the address, once its content is shown: the browser has stopped looking for it before the
 * page's code and data are loaded.
 *
 * @param shown a name for what is shown now; `undefined` while that loads
 */
export function useScrollToHash(shown: string | undefined): void {
  const { hash } = useLocation();
  useEffect(() => {
    if (shown !== undefined && hash) document.getElementById(decodedHash(hash))?.scrollIntoView();
  }, [hash, shown]);
}

function decodedHash(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    // A percent sign of its own is no encoding.
    return hash.slice(1);
  }
}
