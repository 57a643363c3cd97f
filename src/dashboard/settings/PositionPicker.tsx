import { words } from '#words/settings.js';
import { useId } from 'react';
import type { BrandPosition } from '../generated/graphql.js';
import classes from './Branding.module.css';

const POSITIONS: readonly [BrandPosition, string][] = [
  ['TOP_LEFT', words.position.topLeft],
  ['TOP_RIGHT', words.position.topRight],
  ['CENTER', words.position.center],
  ['BOTTOM_LEFT', words.position.bottomLeft],
  ['BOTTOM_RIGHT', words.position.bottomRight],
];

interface Props {
  readonly value: BrandPosition;
  readonly onChange: (position: BrandPosition) => void;
}

/** A small picture with a spot for each position: radio buttons, so that arrow keys work. */
export function PositionPicker({ value, onChange }: Props) {
  const name = useId();
  const chosen = POSITIONS.find(([position]) => position === value)?.[1];
  return (
    <fieldset className={classes['position']}>
      <legend>{words.position.legend(<span className={classes['note']}>{chosen}</span>)}</legend>
      <div className={classes['spots']}>
        {POSITIONS.map(([position, label]) => (
          <label key={position} className={classes['spot']} data-position={position} title={label}>
            <input
              type="radio"
              name={name}
              value={position}
              aria-label={label}
              checked={position === value}
              onChange={() => onChange(position)}
            />
          </label>
        ))}
      </div>
    </fieldset>
  );
}
