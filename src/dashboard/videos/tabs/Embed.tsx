import { words } from '#words/video.js';
import { useMutation } from '@apollo/client/react';
import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { Code, CodeIn } from '../../docs/parts/Code.js';
import { LanguageProvider } from '../../docs/parts/LanguageProvider.js';
import { tokenServer } from '../../docs/sections/samples.js';
import { CreatePreviewTokenDocument } from '../../generated/graphql.js';
import { Changes } from '../../parts/Changes.js';
import { CopyField } from '../../parts/CopyField.js';
import { Icon } from '../../parts/Icon.js';
import { FormError } from '../../parts/States.js';
import { useAction } from '../../parts/useAction.js';
import { playerCode } from '../../docs/embedCode.js';
import EmbedPreview from './EmbedPreview.js';
import classes from '../VideoPage.module.css';
import type { VideoDetails } from '../videoDetails.js';

/** How the video gets into a page: as a preview at once, and for viewers by a server that creates tokens. */
export default function Embed({ video }: { video: VideoDetails }) {
  const plays = video.playableRungs.length > 0;

  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="embed-title">
      <Title order={2} id="embed-title">
        {words.embed.embed}
      </Title>
      {plays ? <EmbedPreview video={video} /> : null}
      <Title order={3} mt="sm">
        {words.embed.forViewers}
      </Title>
      <Text size="sm">
        {words.embed.serverCreatesTokens((text) => (
          <Anchor component={Link} to="/keys" inherit>
            {text}
          </Anchor>
        ))}
      </Text>
      <LanguageProvider>
        <CodeIn title={words.embed.onYourServer} code={tokenServer(location.origin, video.id)} />
      </LanguageProvider>
      <Code
        title={words.embed.onYourPage}
        code={playerCode({ origin: location.origin, videoId: video.id, title: video.title })}
      />
      <Text size="xs" c="dimmed">
        {words.embed.moreInDocs((text) => (
          <Anchor component={Link} to="/docs" inherit>
            {text}
          </Anchor>
        ))}
      </Text>
      <Stack gap={4}>
        <Text size="sm" fw={600}>
          {words.embed.videoId}
        </Text>
        <CopyField label={words.embed.videoId} value={video.id} />
      </Stack>
      {plays ? <WatchPage videoId={video.id} /> : null}
      <Text size="xs" c="dimmed">
        {words.embed.doesNotPlay((text) => (
          <Anchor component={Link} to={`/docs/explain?video=${video.id}`} inherit>
            {text}
          </Anchor>
        ))}
      </Text>
    </section>
  );
}

/** Opens our own page for one view. */
function WatchPage({ videoId }: { videoId: string }) {
  const [createToken] = useMutation(CreatePreviewTokenDocument);
  const watch = useAction(async () => {
    // Open the window before the response: popup blockers stop a window that opens later than the click.
    const page = window.open('about:blank', '_blank');
    try {
      const { data } = await createToken({ variables: { videoId } });
      const address = `/watch#${data?.createPreviewToken.token ?? ''}`;
      if (page) page.location.href = address;
      else location.href = address;
    } catch (failure) {
      page?.close();
      throw failure;
    }
  });
  return (
    <Group>
      <Changes>
        <Button
          size="xs"
          variant="default"
          loading={watch.busy}
          leftSection={<Icon name="open" size={15} />}
          onClick={() => void watch.run()}
        >
          {words.embed.openWatchPage}
        </Button>
      </Changes>
      <FormError error={watch.error} />
    </Group>
  );
}
