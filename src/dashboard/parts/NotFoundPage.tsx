import { words } from '#words/parts.js';
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { EmptyState } from './States.js';

/** @param isPart below the head of a page, which has the first heading */
export default function NotFoundPage({ isPart = false }: { isPart?: boolean }) {
  return (
    <EmptyState
      isPage={!isPart}
      icon="search"
      title={words.notFoundPage.pageNotFound}
      advice={words.notFoundPage.addressMayWrongPage}
    >
      <Button component={Link} to="/videos" variant="default">
        {words.notFoundPage.goVideos}
      </Button>
    </EmptyState>
  );
}
