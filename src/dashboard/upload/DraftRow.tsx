import { words } from '#words/upload.js';
import { ActionIcon, TextInput } from '@mantine/core';
import { showAbout, showCredits } from '../lib/credits.js';
import { showBytes, showDuration } from '../lib/format.js';
import { Icon } from '../parts/Icon.js';
import { feasible, ratePerMinute, showChoice, type PriceList } from '../processing/choice.js';
import { OwnChoice } from '../processing/OwnChoice.js';
import classes from './DraftForm.module.css';
import type { Wishes } from './drafts.js';
import { estimateMicros, type FileFacts } from './fileFacts.js';
import { WishesFields } from './WishesFields.js';

interface Props {
  readonly file: File;
  /** Null until they are read, or if the browser cannot open the file. */
  readonly facts: FileFacts | null;
  readonly title: string;
  readonly wishes: Wishes;
  /** Undefined until they are known. */
  readonly prices: PriceList | undefined;
  /** The only file: then the shared options are its own. */
  readonly isAlone: boolean;
  readonly isOwn: boolean;
  readonly onTitle: (title: string) => void;
  readonly onChange: (wishes: Partial<Wishes>) => void;
  readonly onFollow: () => void;
  readonly onRemove: () => void;
}

/** One chosen file: its title, and, if there are several, its options and price. */
export function DraftRow(props: Props) {
  const { file, facts, title, wishes, prices, isAlone } = props;
  return (
    <li className={classes['file']}>
      <TextInput
        label={words.draftRow.title}
        description={[file.name, showBytes(file.size), facts ? showDuration(facts.durationSeconds) : '']
          .filter(Boolean)
          .join(' · ')}
        inputWrapperOrder={['label', 'input', 'description']}
        value={title}
        maxLength={200}
        className={classes['title'] ?? ''}
        onChange={(event) => props.onTitle(event.currentTarget.value)}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes['remove'] ?? ''}
        aria-label={words.draftRow.remove(file.name)}
        onClick={props.onRemove}
      >
        <Icon name="close" size={18} />
      </ActionIcon>
      {isAlone ? null : (
        <div className={classes['own']}>
          <OwnChoice
            name={file.name}
            summary={[
              showChoice(feasible(wishes)),
              prices ? priceOf(wishes, facts, prices) : '',
              wishes.autoProcess ? '' : words.draftRow.needsApproval,
            ]
              .filter(Boolean)
              .join(' · ')}
            isOwn={props.isOwn}
            onFollow={props.onFollow}
          >
            <WishesFields wishes={wishes} prices={prices} label={words.draftRow.quality} onChange={props.onChange} />
          </OwnChoice>
        </div>
      )}
    </li>
  );
}

function priceOf(wishes: Wishes, facts: FileFacts | null, prices: PriceList): string {
  if (facts) return words.draftRow.aboutCredits(showAbout(estimateMicros(wishes, facts, prices)));
  return words.draftRow.creditsPerMinute(showCredits(ratePerMinute(wishes, prices)));
}
