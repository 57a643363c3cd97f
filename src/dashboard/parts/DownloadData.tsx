import { words } from '#words/closing.js';
import { Button } from '@mantine/core';

/** Downloads all that the account holds. */
export function DownloadData() {
  return (
    <Button component="a" href="/documents/my-data.ndjson" download variant="default">
      {words.download}
    </Button>
  );
}
