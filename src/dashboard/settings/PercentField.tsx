import { words } from '#words/settings.js';
import { TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import classes from './Branding.module.css';

interface Props {
  readonly label: string;
  readonly note: string;
  readonly least: number;
  readonly most: number;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** A percentage, by slider or typed. Values out of range are corrected when the field loses the focus. */
export function PercentField({ label, note, least, most, value, onChange }: Props) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);

  function type(text: string): void {
    setTyped(text);
    const number = Number(text);
    if (text !== '' && Number.isInteger(number) && number >= least && number <= most) onChange(number);
  }

  return (
    <div className={classes['percent']}>
      <label htmlFor={id}>
        {label} <span className={classes['note']}>{note}</span>
      </label>
      <input
        id={id}
        type="range"
        min={least}
        max={most}
        step={1}
        value={value}
        aria-valuetext={words.percent(value)}
        onChange={(event) => onChange(Number(event.currentTarget.value))}
      />
      <TextInput
        type="number"
        inputMode="numeric"
        size="xs"
        aria-label={words.inPercent(label)}
        min={least}
        max={most}
        step={1}
        value={typed ?? value}
        rightSection={<span aria-hidden="true">%</span>}
        onChange={(event) => type(event.currentTarget.value)}
        onBlur={() => setTyped(null)}
      />
    </div>
  );
}
