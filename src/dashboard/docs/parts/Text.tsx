import { words } from '#words/docs.js';
import type { ReactNode } from 'react';
import classes from '../docs.module.css';

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly children: ReactNode;
}

/** A chapter with its own anchor. */
export function Section({ id, title, children }: SectionProps) {
  return (
    <section className={classes['section']} id={id} aria-labelledby={`${id}-title`}>
      <h2 className={classes['heading']} id={`${id}-title`}>
        {title}
        <Anchor id={id} title={title} />
      </h2>
      {children}
    </section>
  );
}

export function Part({ id, title }: { id: string; title: string }) {
  return (
    <h3 className={`${classes['heading']} ${classes['part']}`} id={id}>
      {title}
      <Anchor id={id} title={title} />
    </h3>
  );
}

function Anchor({ id, title }: { id: string; title: string }) {
  return (
    <a href={`#${id}`} className={classes['anchor']} aria-label={words.linkTo(title)}>
      #
    </a>
  );
}

export function Note({ children }: { children: ReactNode }) {
  return <div className={classes['note']}>{children}</div>;
}

interface TableProps {
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly ReactNode[])[];
  /** Columns of numbers, from 0. */
  readonly numbers?: readonly number[];
  /** Breaks codes between words only, and rather scrolls. Not for long addresses. */
  readonly keepsCodes?: boolean;
}

/** A table that scrolls horizontally if it is too wide for the page. */
export function Table({ label, head, rows, numbers = [], keepsCodes = false }: TableProps) {
  const isNumber = (column: number) => numbers.includes(column) || undefined;
  return (
    // Focusable, so that keyboard users can scroll it with the arrow keys.
    <div className={classes['scroll']} role="region" aria-label={label} {...FOCUSABLE}>
      <table className={classes['table']} data-keeps-codes={keepsCodes || undefined}>
        <thead>
          <tr>
            {head.map((name, column) => (
              <th key={name} scope="col" data-number={isNumber(column)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={rowKey(cells, row)}>
              {cells.map((cell, column) => (
                <td key={head[column]} data-number={isNumber(column)} className={isNumber(column) ? 'num' : undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const FOCUSABLE = { tabIndex: 0 } as const;

function rowKey(cells: readonly ReactNode[], row: number): string {
  return typeof cells[0] === 'string' ? cells[0] : String(row);
}

const CODE = /`([^`]+)`/;

/** Text of the service's own documents, with `code` in backticks. */
export function Inline({ text }: { text: string }) {
  return text.split(CODE).map((piece, index) =>
    // Every second piece was in backticks.
    index % 2 === 1 ? <code key={`${index}${piece}`}>{piece}</code> : piece,
  );
}
