import { words } from '#words/upload.js';
import { Switch } from '@mantine/core';
import type { PriceList } from '../processing/choice.js';
import { ChoiceFields } from '../processing/ChoiceFields.js';
import { QUALITIES } from '../lib/videoStates.js';
import classes from './DraftForm.module.css';
import type { Wishes } from './drafts.js';

interface Props {
  readonly label: string;
  readonly wishes: Wishes;
  /** Undefined until they are known. */
  readonly prices: PriceList | undefined;
  readonly onChange: (wishes: Partial<Wishes>) => void;
}

/** Quality and add-ons with their prices, and whether to process without asking. */
export function WishesFields({ label, wishes, prices, onChange }: Props) {
  return (
    <ChoiceFields
      label={label}
      description={words.wishesFields.lowerQualitiesIncludedVideos}
      choice={wishes}
      offered={QUALITIES}
      prices={prices}
      onChange={onChange}
    >
      <Switch
        className={classes['auto'] ?? ''}
        label={words.wishesFields.processAutomatically}
        description={words.wishesFields.turnOffApproveEach}
        checked={wishes.autoProcess}
        onChange={(event) => onChange({ autoProcess: event.currentTarget.checked })}
      />
    </ChoiceFields>
  );
}
