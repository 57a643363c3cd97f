import { words } from '#words/parts.js';
import { Icon } from './Icon.js';
import { closeToast, pauseToast, resumeToast, useToasts } from './toasts.js';
import classes from './Toasts.module.css';

/** The corner where `showToast` shows toasts. */
export function Toasts() {
  const toasts = useToasts();
  if (toasts.length === 0) return null;
  return (
    <section className={classes['corner']} aria-label={words.toasts.notices}>
      {toasts.map(({ id, title, message, kind = 'plain', action }) => (
        <div
          key={id}
          className={classes['toast']}
          data-kind={kind}
          onPointerEnter={() => pauseToast(id)}
          onPointerLeave={() => resumeToast(id)}
          onFocus={() => pauseToast(id)}
          onBlur={() => resumeToast(id)}
        >
          <div className={classes['words']}>
            <b>{title}</b>
            {message ? <span>{message}</span> : null}
          </div>
          {action ? (
            <button type="button" className={classes['action']} onClick={() => closeToast(id, true)}>
              {action.label}
            </button>
          ) : null}
          <button
            type="button"
            className={classes['close']}
            aria-label={words.toasts.close(title)}
            onClick={() => closeToast(id)}
          >
            <Icon name="close" size={15} />
          </button>
        </div>
      ))}
    </section>
  );
}
