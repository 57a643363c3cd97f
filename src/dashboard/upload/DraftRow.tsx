import { ActionIcon, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { Quality } from '../generated/graphql.js';
import { showBytes } from '../lib/format.js';
import { Icon } from '../parts/Icon.js';
import { QUALITIES, showQuality } from '../videos/words.js';
import classes from './DraftForm.module.css';
import type { UploadWishes } from './types.js';

interface Props {
  readonly file: File;
  readonly wishes: UploadWishes;
  /** The only one: then what is said for all is said for it. */
  readonly isAlone: boolean;
  readonly onChange: (wishes: Partial<UploadWishes>) => void;
  readonly onRemove: () => void;
}

/** One chosen file: its title, and what it has of its own among several. */
export function DraftRow({ file, wishes, isAlone, onChange, onRemove }: Props) {
  return (
    <li className={classes['file']}>
      <TextInput
        label="Title"
        description={`${file.name} · ${showBytes(file.size)}`}
        inputWrapperOrder={['label', 'input', 'description']}
        value={wishes.title}
        maxLength={200}
        className={classes['title'] ?? ''}
        onChange={(event) => onChange({ title: event.currentTarget.value })}
      />
      {isAlone ? null : (
        <>
          <NativeSelect
            label="Quality"
            aria-label={`Quality of ${file.name}`}
            className={classes['own'] ?? ''}
            value={wishes.quality}
            data={QUALITIES.map((value) => ({ value, label: showQuality(value) }))}
            onChange={(event) => onChange({ quality: event.currentTarget.value as Quality })}
          />
          <Checkbox
            className={classes['check'] ?? ''}
            label="Automatic"
            aria-label={`Process ${file.name} automatically`}
            checked={wishes.autoProcess}
            onChange={(event) => onChange({ autoProcess: event.currentTarget.checked })}
          />
        </>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes['remove'] ?? ''}
        aria-label={`Leave out ${file.name}`}
        onClick={onRemove}
      >
        <Icon name="close" size={18} />
      </ActionIcon>
    </li>
  );
}
