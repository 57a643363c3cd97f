import { words } from '#words/video.js';
import { useMutation } from '@apollo/client/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { CreatePreviewTokenDocument } from '../../generated/graphql.js';
import { showMoment } from '../../lib/format.js';
import { Changes } from '../../parts/Changes.js';
import { CopyField } from '../../parts/CopyField.js';
import { Icon } from '../../parts/Icon.js';
import { FormError } from '../../parts/States.js';
import { showToast } from '../../parts/toasts.js';
import { useAction } from '../../parts/useAction.js';
import { previewCode } from '../../docs/embedCode.js';
import type { VideoDetails } from '../videoDetails.js';

/** Code with its own token, which plays wherever it is pasted, for five minutes from the click. */
export default function EmbedPreview({ video }: { video: VideoDetails }) {
  const [createToken] = useMutation(CreatePreviewTokenDocument);
  const [code, setCode] = useState<{ readonly text: string; readonly until: string }>();
  const { run, busy, error } = useAction(async () => {
    const { data } = await createToken({ variables: { videoId: video.id } });
    if (!data) return;
    const { token, expiresAt } = data.createPreviewToken;
    const until = showMoment(expiresAt);
    const note = words.embed.previewUntil(until);
    const text = previewCode({ origin: location.origin, token, title: video.title, note });
    setCode({ text, until });
    // Without a secure connection, pages cannot copy: then the code is there to be selected.
    await navigator.clipboard?.writeText(text).then(
      () => showToast({ kind: 'good', title: words.embed.copied, message: words.embed.pasteIntoPage }),
      () => undefined,
    );
  });
  return (
    <Stack gap={8}>
      <Text size="sm">{words.embed.tryIt}</Text>
      <Group>
        <Changes>
          <Button size="xs" loading={busy} leftSection={<Icon name="copy" size={15} />} onClick={() => void run()}>
            {code ? words.embed.copyFresh : words.embed.copyPreview}
          </Button>
        </Changes>
      </Group>
      {code ? (
        <>
          <CopyField label={words.embed.previewCode} block value={code.text} />
          <Text size="xs" c="dimmed" role="status">
            {words.embed.playsUntil(code.until)}
          </Text>
        </>
      ) : null}
      <FormError error={error} />
    </Stack>
  );
}
