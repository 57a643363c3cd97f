import { Skeleton } from '@mantine/core';
import { useEffect, useState } from 'react';

const SIZE_PX = 184;
/** Empty modules around the code; cameras need them. */
const QUIET = 4;

interface Drawing {
  readonly path: string;
  readonly size: number;
}

/** Draws `text` as a QR code in this page, so that the secret in it is sent nowhere. Its code is loaded on demand. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [drawing, setDrawing] = useState<Drawing>();
  useEffect(() => {
    let isCurrent = true;
    const show = async (): Promise<void> => {
      const next = await draw(text);
      if (isCurrent) setDrawing(next);
    };
    // If it fails, the secret beside it can still be typed.
    show().catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [text]);

  if (!drawing) return <Skeleton width={SIZE_PX} height={SIZE_PX} />;
  return (
    <svg
      role="img"
      aria-label={label}
      width={SIZE_PX}
      height={SIZE_PX}
      viewBox={`${-QUIET} ${-QUIET} ${drawing.size + 2 * QUIET} ${drawing.size + 2 * QUIET}`}
      shapeRendering="crispEdges"
      // Dark on light in either color scheme: not every camera reads it inverted.
      style={{ background: '#fff', borderRadius: 8 }}
    >
      <path d={drawing.path} fill="#000" />
    </svg>
  );
}

async function draw(text: string): Promise<Drawing> {
  const { default: qrcode } = await import('qrcode');
  const { size, data } = qrcode.create(text, { errorCorrectionLevel: 'M' }).modules;
  const squares: string[] = [];
  data.forEach((dark, at) => {
    if (dark) squares.push(`M${at % size} ${Math.floor(at / size)}h1v1h-1z`);
  });
  return { path: squares.join(''), size };
}
