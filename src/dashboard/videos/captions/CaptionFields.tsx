import { words } from '#words/captions.js';
import { Checkbox, Text, TextInput } from '@mantine/core';
import { beginHere } from './beginHere.js';
import { labelFor } from './languages.js';
import { LanguageSelect } from './LanguageSelect.js';
import classes from './captions.module.css';

/** The properties of a track. */
export interface CaptionFacts {
  readonly language: string | null;
  readonly label: string;
  /** False while the label follows the language. */
  readonly isOwnLabel: boolean;
  readonly isForced: boolean;
  readonly isSdh: boolean;
}

interface Props {
  readonly facts: CaptionFacts;
  /** Labels of other tracks. */
  readonly taken: readonly string[];
  /** Whether to show what is missing: only after a first attempt to save. */
  readonly showsFaults: boolean;
  readonly onChange: (facts: CaptionFacts) => void;
  /** Whether these fields are the whole form. */
  readonly areAll?: boolean;
}

export function CaptionFields({ facts, taken, showsFaults, onChange, areAll = false }: Props) {
  const change = (part: Partial<CaptionFacts>): void => onChange(withLabel({ ...facts, ...part }, taken));
  return (
    <>
      <div className={classes['fields']}>
        <LanguageSelect
          value={facts.language}
          error={showsFaults ? languageFault(facts) : null}
          onChange={(language) => change({ language })}
        />
        <TextInput
          label={words.captionFields.labelMenus}
          {...(areAll ? { ref: beginHere } : {})}
          maxLength={80}
          value={facts.label}
          error={showsFaults ? labelFault(facts, taken) : null}
          onChange={({ currentTarget: { value } }) => change({ label: value, isOwnLabel: value !== '' })}
        />
      </div>
      <fieldset className={classes['purposes']}>
        <Text component="legend" size="sm" fw={600} mb={6}>
          {words.captionFields.purpose}
        </Text>
        <Checkbox
          label={words.captionFields.deafHardHearingSdh}
          checked={facts.isSdh}
          onChange={({ currentTarget }) => change({ isSdh: currentTarget.checked })}
        />
        <Checkbox
          label={words.captionFields.forcedOnlyForeignSpeech}
          checked={facts.isForced}
          onChange={({ currentTarget }) => change({ isForced: currentTarget.checked })}
        />
      </fieldset>
    </>
  );
}

/** Adds the label of the language, unless the owner has typed one. */
export function withLabel(facts: CaptionFacts, taken: readonly string[]): CaptionFacts {
  if (facts.isOwnLabel) return facts;
  return { ...facts, label: facts.language === null ? '' : labelFor(facts.language, facts, taken) };
}

export function areFine(facts: CaptionFacts, taken: readonly string[]): boolean {
  return languageFault(facts) === null && labelFault(facts, taken) === null;
}

function languageFault({ language }: CaptionFacts): string | null {
  return language === null ? words.captionFields.chooseLanguage : null;
}

function labelFault({ label }: CaptionFacts, taken: readonly string[]): string | null {
  if (label.trim() === '') return words.captionFields.enterLabel;
  return taken.includes(label.trim()) ? words.captionFields.anotherTrackHasLabel : null;
}
