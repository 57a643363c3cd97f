import { LOGO_SVG } from './logoSvg.js';
import classes from './Logo.module.css';

/** The mark and the name. `LOGO_SVG` is our own constant, so setting it as HTML is safe. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <span className={classes['logo']} style={{ fontSize: Math.floor(size * 0.68) }}>
      <span style={{ width: size, height: size }} dangerouslySetInnerHTML={{ __html: LOGO_SVG }} />
      <span>Dhara</span>
    </span>
  );
}
