import { words } from '#words/captions.js';
import { useMutation } from '@apollo/client/react';
import { Button, FileButton, Input } from '@mantine/core';
import { useState } from 'react';
import { UploadCaptionsDocument, type CaptionFieldsFragment } from '../../generated/graphql.js';
import { showBytes } from '../../lib/format.js';
import { Changes } from '../../parts/Changes.js';
import { FormError } from '../../parts/States.js';
import { useAction } from '../../parts/useAction.js';
import { fileFaultOf, readCaptions } from './captionFile.js';
import { EditCaptions } from './EditCaptions.js';
import { showLanguage } from './languages.js';
import { SlowNotice } from './SlowNotice.js';
import classes from './captions.module.css';

interface Props {
  readonly videoId: string;
  readonly caption: CaptionFieldsFragment;
  /** Labels of the other tracks. */
  readonly taken: readonly string[];
  readonly onChanged: (words: string) => void;
  readonly onRemove: () => void;
  /** Closed without changes; the focused element is gone. */
  readonly onClosed: () => void;
}

export function CaptionRow({ videoId, caption, taken, onChanged, onRemove, onClosed }: Props) {
  const { label, language, isForced, isSdh } = caption;
  const [editing, setEditing] = useState(false);
  const [uploadCaptions] = useMutation(UploadCaptionsDocument);
  const replace = useAction(async (file: File) => {
    const text = await readCaptions(file);
    await uploadCaptions({ variables: { videoId, input: { language, label, isForced, isSdh, text } } });
    onChanged(words.captionRow.wasReplaced(label));
  });
  const fileFault = fileFaultOf(replace.error);

  return (
    <li className={classes['row']} aria-busy={replace.busy}>
      <div className={classes['line']}>
        <div className={classes['words']}>
          <div className={classes['label']}>{label}</div>
          <p className={`${classes['facts']} num`}>{factsOf(caption).join(' · ')}</p>
        </div>
        {editing ? null : (
          <Changes>
            <div className={classes['actions']}>
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={words.captionRow.editOf(label)}
                onClick={() => setEditing(true)}
              >
                {words.captionRow.edit}
              </Button>
              <FileButton accept=".srt,.vtt" onChange={(file) => (file ? void replace.run(file) : undefined)}>
                {(props) => (
                  <Button
                    {...props}
                    size="compact-sm"
                    variant="subtle"
                    aria-label={words.captionRow.replaceOf(label)}
                    loading={replace.busy}
                  >
                    {words.captionRow.replace}
                  </Button>
                )}
              </FileButton>
              <Button
                size="compact-sm"
                variant="subtle"
                color="gray"
                aria-label={words.captionRow.removeOf(label)}
                disabled={replace.busy}
                onClick={onRemove}
              >
                {words.captionRow.remove}
              </Button>
            </div>
          </Changes>
        )}
      </div>
      <SlowNotice busy={replace.busy}>{words.captionRow.uploadingFile}</SlowNotice>
      {fileFault === null ? <FormError error={replace.error} /> : <Input.Error role="alert">{fileFault}</Input.Error>}
      {editing ? (
        <EditCaptions
          videoId={videoId}
          caption={caption}
          taken={taken}
          onSaved={(words) => {
            setEditing(false);
            onChanged(words);
          }}
          onCancel={() => {
            setEditing(false);
            onClosed();
          }}
        />
      ) : null}
    </li>
  );
}

function factsOf({ language, isForced, isSdh, origin, sizeBytes }: CaptionFieldsFragment): string[] {
  return [
    showLanguage(language),
    ...(isSdh ? [words.captionRow.deafHardHearing] : []),
    ...(isForced ? ['forced'] : []),
    origin === 'SOURCE' ? words.captionRow.fromFile : 'uploaded',
    showBytes(sizeBytes),
  ];
}
