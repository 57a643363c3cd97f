import { Title } from '@mantine/core';
import { useId } from 'react';
import classes from './Analytics.module.css';

interface Figure {
  readonly label: string;
  readonly text: string;
  readonly note?: string | undefined;
}

/** A row of numbers, each with its name and a note. */
export function Figures({ title, figures }: { title: string; figures: readonly Figure[] }) {
  const id = useId();
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby={id}>
      <Title order={2} id={id} size="h3">
        {title}
      </Title>
      <FigureList figures={figures} />
    </section>
  );
}

export function FigureList({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={`${classes['figures']} num`}>
      {figures.map(({ label, text, note }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{text}</dd>
          {note ? <dd className={classes['figureNote']}>{note}</dd> : null}
        </div>
      ))}
    </dl>
  );
}
