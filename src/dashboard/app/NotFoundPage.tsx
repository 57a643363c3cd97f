import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { EmptyState } from '../parts/States.js';

export default function NotFoundPage() {
  return (
    <EmptyState
      isPage
      icon="search"
      title="There is no such page"
      advice="The address may be mistyped, or the page has moved."
    >
      <Button component={Link} to="/videos" variant="default">
        To the videos
      </Button>
    </EmptyState>
  );
}
