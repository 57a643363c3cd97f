import { words } from '#words/videos.js';
import { NativeSelect, Stack, Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Quality } from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import { AddonChoice } from './AddonChoice.js';
import type { Choice, PriceList } from './choice.js';
import classes from './ChoiceFields.module.css';
import { showQuality } from '../lib/videoStates.js';

interface Props {
  readonly label: string;
  readonly description: string;
  readonly choice: Choice;
  /** Lowest first, as in the price list. */
  readonly offered: readonly Quality[];
  /** Undefined until they are known. */
  readonly prices: PriceList | undefined;
  readonly onChange: (change: Partial<Choice>) => void;
  /** Further options, beside the quality. */
  readonly children?: ReactNode;
}

/** Quality and add-ons with their prices. */
export function ChoiceFields({ label, description, choice, offered, prices, onChange, children }: Props) {
  const rateOf = (wanted: Quality): string | undefined =>
    prices?.processing.find(({ quality }) => quality === wanted)?.creditsPerMinute;

  return (
    <Stack gap="md">
      <div className={classes['line']}>
        <NativeSelect
          label={label}
          description={description}
          inputWrapperOrder={['label', 'input', 'description']}
          className={classes['quality'] ?? ''}
          value={choice.quality}
          data={offered.toReversed().map((value) => {
            const rate = rateOf(value);
            return {
              value,
              label: showQuality(value) + (rate ? words.choiceFields.creditsPerMinute(showCredits(rate)) : ''),
            };
          })}
          onChange={(event) => onChange({ quality: event.currentTarget.value as Quality })}
        />
        {children}
      </div>
      {prices ? (
        <AddonChoice
          addons={prices.addons}
          wishes={choice}
          hasPicture={choice.quality !== 'AUDIO'}
          onChange={onChange}
        />
      ) : null}
      <LoudnessChoice
        checked={choice.normalizeLoudness}
        onChange={(normalizeLoudness) => onChange({ normalizeLoudness })}
      />
    </Stack>
  );
}

interface LoudnessProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** Free, so it is shown beside the add-ons and not among them. */
function LoudnessChoice({ checked, onChange }: LoudnessProps) {
  return (
    <Checkbox
      checked={checked}
      label={words.loudnessChoice.normalizeLoudness}
      description={words.loudnessChoice.matchesTypicalWebLoudness}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
