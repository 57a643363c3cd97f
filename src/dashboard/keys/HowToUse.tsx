import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { CopyField } from '../parts/CopyField.js';
import classes from './KeyCard.module.css';

/** The two requests that every site begins with. */
export function HowToUse() {
  const { origin } = location;
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="how-title">
      <Title order={2} id="how-title">
        How to use a key
      </Title>
      <Stack gap={4}>
        <Text size="sm">From your server, never from a page: list your videos,</Text>
        <CopyField
          label="curl command that lists videos"
          block
          value={`curl ${origin}/v1/video \\\n  -H 'x-service-key: YOUR_KEY'`}
        />
      </Stack>
      <Stack gap={4}>
        <Text size="sm">and get a token for each view. It opens one video, once, within five minutes.</Text>
        <CopyField
          label="curl command that gets a playback token"
          block
          value={`curl -X POST ${origin}/v1/video/VIDEO_ID/playback-token \\\n  -H 'x-service-key: YOUR_KEY'`}
        />
      </Stack>
      <Text size="sm" c="dimmed">
        The page then plays it with the player.{' '}
        <Anchor component={Link} to="/docs" inherit>
          Read how in the docs
        </Anchor>
        .
      </Text>
    </section>
  );
}
