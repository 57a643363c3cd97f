import classes from './StateTag.module.css';

/** How something stands: well, badly, still open, or simply so. */
export type StateKind = 'good' | 'bad' | 'open' | 'plain';

/** One or two words on a tinted ground. The words say it; the colour only helps to find them. */
export function StateTag({ kind, children }: { kind: StateKind; children: string }) {
  return (
    <span className={classes['tag']} data-kind={kind}>
      {children}
    </span>
  );
}
