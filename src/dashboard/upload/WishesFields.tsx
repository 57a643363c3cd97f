import { Group, NativeSelect, Stack, Switch } from '@mantine/core';
import type { PriceListQuery, Quality } from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import { AddonChoice } from '../videos/AddonChoice.js';
import { LoudnessChoice } from '../videos/LoudnessChoice.js';
import { QUALITIES, showQuality } from '../videos/words.js';
import classes from './DraftForm.module.css';
import type { UploadWishes } from './types.js';

export type SharedWishes = Omit<UploadWishes, 'title'>;

interface Props {
  readonly wishes: SharedWishes;
  /** Undefined until they are known. */
  readonly prices: PriceListQuery['priceList'] | undefined;
  readonly isForMany: boolean;
  readonly onChange: (wishes: Partial<SharedWishes>) => void;
}

/** Quality and add-ons with their prices, and whether to go on without asking. */
export function WishesFields({ wishes, prices, isForMany, onChange }: Props) {
  const rateOf = (wanted: Quality): string | undefined =>
    prices?.processing.find(({ quality }) => quality === wanted)?.creditsPerMinute;

  return (
    <Stack gap="md">
      <Group align="flex-start" gap="lg">
        <NativeSelect
          label={isForMany ? 'Quality of all' : 'Quality'}
          description="Lower ones come with it. Never above what the file has."
          inputWrapperOrder={['label', 'input', 'description']}
          className={classes['quality'] ?? ''}
          value={wishes.quality}
          data={QUALITIES.map((value) => {
            const rate = rateOf(value);
            return { value, label: showQuality(value) + (rate ? `, ${showCredits(rate)} credits a minute` : '') };
          })}
          onChange={(event) => onChange({ quality: event.currentTarget.value as Quality })}
        />
        <Switch
          className={classes['auto'] ?? ''}
          label="Process automatically"
          description="Off: you see the exact price first and confirm it."
          checked={wishes.autoProcess}
          onChange={(event) => onChange({ autoProcess: event.currentTarget.checked })}
        />
      </Group>
      {prices ? (
        <AddonChoice
          addons={prices.addons}
          wishes={wishes}
          hasPicture={wishes.quality !== 'AUDIO'}
          onChange={onChange}
        />
      ) : null}
      <LoudnessChoice
        checked={wishes.normalizeLoudness}
        onChange={(normalizeLoudness) => onChange({ normalizeLoudness })}
      />
    </Stack>
  );
}
