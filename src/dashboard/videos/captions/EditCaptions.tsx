import { words } from '#words/captions.js';
import { useMutation } from '@apollo/client/react';
import { useState, type FormEvent } from 'react';
import { UpdateCaptionsDocument, type CaptionFieldsFragment } from '../../generated/graphql.js';
import { FormError } from '../../parts/States.js';
import { useAction } from '../../parts/useAction.js';
import { areFine, CaptionFields, type CaptionFacts } from './CaptionFields.js';
import { FormButtons } from './FormButtons.js';
import classes from './captions.module.css';

interface Props {
  readonly videoId: string;
  readonly caption: CaptionFieldsFragment;
  readonly taken: readonly string[];
  readonly onSaved: (words: string) => void;
  readonly onCancel: () => void;
}

/** Edits the properties of a track; its text stays as it is. */
export function EditCaptions({ videoId, caption, taken, onSaved, onCancel }: Props) {
  const [updateCaptions] = useMutation(UpdateCaptionsDocument);
  const [facts, setFacts] = useState<CaptionFacts>({ ...caption, isOwnLabel: true });
  const [showsFaults, setShowsFaults] = useState(false);
  const { run, busy, error } = useAction(async () => {
    const { language, isForced, isSdh } = facts;
    const label = facts.label.trim();
    const input = { language, label, isForced, isSdh };
    await updateCaptions({ variables: { videoId, captionId: caption.id, input } });
    onSaved(words.editCaptions.wasChanged(label));
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setShowsFaults(true);
    if (areFine(facts, taken)) void run();
  }

  return (
    <form onSubmit={submit} className={classes['form']} aria-label={words.editCaptions.edit(caption.label)} noValidate>
      <CaptionFields areAll facts={facts} taken={taken} showsFaults={showsFaults} onChange={setFacts} />
      <FormError error={error} />
      <FormButtons verb={words.editCaptions.save} busy={busy} onCancel={onCancel} />
    </form>
  );
}
