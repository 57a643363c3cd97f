import classes from './StateTag.module.css';

/** A state: good, bad, still open, or neutral. */
export type StateKind = 'good' | 'bad' | 'open' | 'plain';

/** One or two words on a tinted background. The words carry the meaning; the color only helps to find them. */
export function StateTag({ kind, children }: { kind: StateKind; children: string }) {
  return (
    <span className={classes['tag']} data-kind={kind}>
      {children}
    </span>
  );
}
