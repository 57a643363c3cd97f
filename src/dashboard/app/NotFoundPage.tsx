import { words } from '#words/parts.js';
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { EmptyState } from '../parts/States.js';

export default function NotFoundPage() {
  return (
    <EmptyState
      isPage
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
