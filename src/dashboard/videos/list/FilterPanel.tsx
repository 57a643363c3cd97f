import { words } from '#words/videos.js';
import { Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { PanelButton } from '../../parts/PanelButton.js';
import { PeriodFields } from '../../parts/PeriodFields.js';
import type { NarrowBy } from '../useNarrowing.js';
import type { Narrowing } from '../useVideoList.js';

interface Props {
  readonly narrowing: Narrowing;
  readonly onNarrow: (by: NarrowBy, value: string) => void;
}

/** The filters that are used less often: when a video was added, and its metadata. */
export function FilterPanel({ narrowing, onNarrow }: Props) {
  const { from, to, metadata } = narrowing;
  const count = [from, to, metadata].filter((value) => value !== '').length;
  return (
    <PanelButton label={words.filterPanel.filters(count)}>
      <Stack gap="sm">
        <PeriodFields
          from={from}
          to={to}
          words={words.filterPanel}
          onFrom={(day) => onNarrow('from', day)}
          onTo={(day) => onNarrow('to', day)}
        />
        {/* Mounted again if it was changed elsewhere, such as by "Show all". */}
        <MetadataField key={metadata} metadata={metadata} onMetadata={(text) => onNarrow('metadata', text)} />
      </Stack>
    </PanelButton>
  );
}

function MetadataField({ metadata, onMetadata }: { metadata: string; onMetadata: (text: string) => void }) {
  const [typed, setTyped] = useState(metadata);
  function submit(event: FormEvent): void {
    event.preventDefault();
    onMetadata(typed.trim());
  }
  return (
    <form onSubmit={submit}>
      <TextInput
        label={words.filterPanel.metadata}
        description={words.filterPanel.metadataNote}
        placeholder="plan:paid"
        maxLength={600}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => (typed.trim() === metadata ? undefined : onMetadata(typed.trim()))}
      />
    </form>
  );
}
