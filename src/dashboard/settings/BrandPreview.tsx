import { words } from '#words/settings.js';
import { useQuery } from '@apollo/client/react';
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { BrandStillsDocument, type BrandFieldsFragment } from '../generated/graphql.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { brandBox, type Placement } from './brandBox.js';
import { drawPreview } from './brandCalls.js';
import classes from './Branding.module.css';

interface Props {
  readonly brand: BrandFieldsFragment;
  readonly placement: Placement;
}

interface Drawn {
  /** The state that it was rendered for; shown only while it is current. */
  readonly of: string;
  readonly url: string;
}

const CARD = { width: 16, height: 9 };

/** The logo over a picture: at once as the browser places it, and on request as it will be burned in. */
export function BrandPreview({ brand, placement }: Props) {
  const { data } = useQuery(BrandStillsDocument, { fetchPolicy: 'cache-first' });
  const videos = (data?.videos.edges ?? []).map(({ node }) => node).filter(({ thumbnailUrl }) => thumbnailUrl);
  const [videoId, setVideoId] = useState('');
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const video = videos.find(({ id }) => id === videoId);
  const of = JSON.stringify([placement, videoId]);
  const draw = useAction(async () => {
    const picture = await drawPreview(placement, video?.id ?? null);
    setDrawn({ of, url: URL.createObjectURL(picture) });
  });
  useEffect(() => () => (drawn ? URL.revokeObjectURL(drawn.url) : undefined), [drawn]);

  const size = video?.width && video.height ? { width: video.width, height: video.height } : CARD;
  const box = brandBox(placement, { width: brand.logoWidth, height: brand.logoHeight }, size);
  const isTrue = drawn?.of === of;
  return (
    <Stack gap="xs">
      <figure className={classes['figure']}>
        <div
          className={classes['picture']}
          data-shape={size.height > size.width ? 'tall' : 'wide'}
          style={{ aspectRatio: `${size.width} / ${size.height}` }}
        >
          {isTrue ? (
            <img className={classes['still']} src={drawn.url} alt={words.preview.exactAlt} />
          ) : (
            <>
              {video?.thumbnailUrl ? <img className={classes['still']} src={video.thumbnailUrl} alt="" /> : null}
              <img
                className={classes['logo']}
                src={brand.logoUrl}
                alt={words.preview.liveAlt}
                style={{
                  left: `${box.left}%`,
                  top: `${box.top}%`,
                  width: `${box.width}%`,
                  height: `${box.height}%`,
                  opacity: placement.opacityPercent / 100,
                }}
              />
            </>
          )}
        </div>
        <Text component="figcaption" size="xs" c="dimmed">
          <span role="status">{isTrue ? words.preview.exact : words.preview.live}</span>
        </Text>
      </figure>
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label={words.preview.over}
          className={classes['over'] ?? ''}
          value={videoId}
          data={[
            { value: '', label: words.preview.card },
            ...videos.map(({ id, title }) => ({ value: id, label: title })),
          ]}
          onChange={(event) => setVideoId(event.currentTarget.value)}
        />
        <Button variant="default" loading={draw.busy} disabled={isTrue} onClick={() => void draw.run()}>
          {words.preview.render}
        </Button>
      </Group>
      <FormError error={draw.error} />
    </Stack>
  );
}
