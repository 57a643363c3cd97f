import { words } from '#words/captions.js';
import { useMutation } from '@apollo/client/react';
import { useState, type FormEvent } from 'react';
import { UploadCaptionsDocument } from '../../generated/graphql.js';
import { FormError } from '../../parts/States.js';
import { useAction } from '../../parts/useAction.js';
import { areFine, CaptionFields, type CaptionFacts, withLabel } from './CaptionFields.js';
import { faultOfFile, fileFaultOf, readCaptions } from './captionFile.js';
import { CaptionDrop } from './CaptionDrop.js';
import { FormButtons } from './FormButtons.js';
import { languageInName } from './languages.js';
import { SlowNotice } from './SlowNotice.js';
import classes from './captions.module.css';

const NOTHING: CaptionFacts = { language: null, label: '', isOwnLabel: false, isForced: false, isSdh: false };

interface Props {
  readonly videoId: string;
  readonly taken: readonly string[];
  readonly onAdded: (label: string) => void;
  readonly onCancel: () => void;
}

/** Uploads a file as a new track. */
export function AddCaptions({ videoId, taken, onAdded, onCancel }: Props) {
  const [uploadCaptions] = useMutation(UploadCaptionsDocument);
  const [file, setFile] = useState<File | null>(null);
  const [facts, setFacts] = useState(NOTHING);
  const [showsFaults, setShowsFaults] = useState(false);
  const { run, busy, error, clear } = useAction(async (chosen: File, language: string) => {
    const text = await readCaptions(chosen);
    const { isForced, isSdh } = facts;
    const label = facts.label.trim();
    await uploadCaptions({ variables: { videoId, input: { language, label, isForced, isSdh, text } } });
    onAdded(label);
  });
  const known = file === null ? (showsFaults ? words.addCaptions.chooseFile : null) : faultOfFile(file);
  const refused = fileFaultOf(error);

  function take(chosen: File): void {
    setFile(chosen);
    clear();
    const language = facts.language ?? languageInName(chosen.name);
    setFacts(withLabel({ ...facts, language }, taken));
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    setShowsFaults(true);
    if (!file || faultOfFile(file) !== null || !areFine(facts, taken) || facts.language === null) return;
    void run(file, facts.language);
  }

  return (
    <form
      onSubmit={submit}
      className={classes['form']}
      aria-label={words.addCaptions.addCaptions}
      aria-busy={busy}
      noValidate
    >
      <CaptionDrop file={file} fault={known ?? refused} disabled={busy} onFile={take} />
      <CaptionFields facts={facts} taken={taken} showsFaults={showsFaults} onChange={setFacts} />
      <SlowNotice busy={busy}>{words.addCaptions.uploadingFile}</SlowNotice>
      {refused === null ? <FormError error={error} /> : null}
      <FormButtons verb={words.addCaptions.add} busy={busy} onCancel={onCancel} />
    </form>
  );
}
