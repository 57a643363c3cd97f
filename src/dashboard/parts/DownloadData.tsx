import { words } from '#words/closing.js';
import { DownloadButton } from './DownloadButton.js';

/** Downloads all that the account holds. */
export function DownloadData() {
  return (
    <DownloadButton href="/documents/my-data.ndjson" variant="default">
      {words.download}
    </DownloadButton>
  );
}
