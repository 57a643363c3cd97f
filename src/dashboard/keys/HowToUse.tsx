import { words } from '#words/keys.js';
import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { CopyField } from '../parts/CopyField.js';
import classes from './KeyCard.module.css';

/** The two requests that every integration begins with. */
export function HowToUse() {
  const { origin } = location;
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="how-title">
      <Title order={2} id="how-title">
        {words.howTo.title}
      </Title>
      <Stack gap={4}>
        <Text size="sm">{words.howTo.list}</Text>
        <CopyField
          label={words.howTo.listCurl}
          block
          value={`curl ${origin}/v1/video \\\n  -H 'x-service-key: YOUR_KEY'`}
        />
      </Stack>
      <Stack gap={4}>
        <Text size="sm">{words.howTo.token}</Text>
        <CopyField
          label={words.howTo.tokenCurl}
          block
          value={`curl -X POST ${origin}/v1/video/VIDEO_ID/playback-token \\\n  -H 'x-service-key: YOUR_KEY'`}
        />
      </Stack>
      <Text size="sm" c="dimmed">
        {words.howTo.player((text) => (
          <Anchor component={Link} to="/docs" inherit>
            {text}
          </Anchor>
        ))}
      </Text>
    </section>
  );
}
