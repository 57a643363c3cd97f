import { words } from '#words/video.js';
import { useMutation } from '@apollo/client/react';
import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { CreatePreviewTokenDocument } from '../generated/graphql.js';
import { CopyField } from '../parts/CopyField.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { Embed } from './Embed.js';
import classes from './VideoPage.module.css';
import type { VideoDetails } from './videoDetails.js';

/** What developers need to use the video. */
export function UseIt({ video }: { video: VideoDetails }) {
  const [createToken] = useMutation(CreatePreviewTokenDocument);
  const watch = useAction(async () => {
    // Open the window before the response: popup blockers stop a window that opens later than the click.
    const page = window.open('about:blank', '_blank');
    try {
      const { data } = await createToken({ variables: { videoId: video.id } });
      const address = `/watch#${data?.createPreviewToken.token ?? ''}`;
      if (page) page.location.href = address;
      else location.href = address;
    } catch (failure) {
      page?.close();
      throw failure;
    }
  });
  const command = [
    `curl -X POST ${location.origin}/v1/video/${video.id}/playback-token \\`,
    `  -H 'x-service-key: YOUR_KEY'`,
  ].join('\n');

  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="use-title">
      <Title order={2} id="use-title">
        {words.playIt.play}
      </Title>
      <Stack gap={4}>
        <Text size="sm" fw={600}>
          {words.playIt.videoId}
        </Text>
        <CopyField label={words.playIt.videoId} value={video.id} />
      </Stack>
      <Stack gap={4}>
        <Text size="sm" fw={600}>
          {words.playIt.playbackToken}
        </Text>
        <CopyField label={words.playIt.curlCommand} value={command} block />
        <Text size="xs" c="dimmed">
          {words.playIt.byOneApiKeys(
            (text) => (
              <Anchor component={Link} to="/keys" inherit>
                {text}
              </Anchor>
            ),
            location.origin,
          )}
        </Text>
      </Stack>
      <Embed video={video} />
      {video.playableRungs.length > 0 ? (
        <Group>
          <Button
            size="xs"
            variant="default"
            loading={watch.busy}
            leftSection={<Icon name="open" size={15} />}
            onClick={() => void watch.run()}
          >
            {words.playIt.openWatchPage}
          </Button>
        </Group>
      ) : null}
      <FormError error={watch.error} />
    </section>
  );
}
