/** One cue of a WebVTT file. */
export interface Cue {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly text: string;
}

/** The cues of a WebVTT file, in its order. Skips everything that is not a cue. */
export function parseVtt(source: string): Cue[] {
  const cues: Cue[] = [];
  for (const block of source.replaceAll('\r', '').split(/\n{2,}/)) {
    const lines = block.split('\n');
    const at = lines.findIndex((line) => line.includes('-->'));
    const [start, end] = (lines[at] ?? '').split('-->').map((time) => secondsOf(time));
    if (start === undefined || end === undefined || !(end > start)) continue;
    cues.push({
      startSeconds: start,
      endSeconds: end,
      text: lines
        .slice(at + 1)
        .join('\n')
        .trim(),
    });
  }
  return cues;
}

/** '1:02:03.500 align:start' is 3723.5. NaN if it is not a time. */
function secondsOf(time: string): number {
  const [clock = ''] = time.trim().split(/\s/);
  return clock.split(':').reduce((total, part) => total * 60 + Number(part), 0);
}

/** The cues of the file at `url`. Empty if it cannot be loaded: a video must play without its chapters. */
export async function loadVtt(url: string | null | undefined, signal: AbortSignal): Promise<Cue[]> {
  if (!url) return [];
  try {
    const response = await fetch(url, { signal, credentials: 'omit' });
    return response.ok ? parseVtt(await response.text()) : [];
  } catch {
    return [];
  }
}

/** The cue at a time. */
export function cueAt(cues: readonly Cue[], seconds: number): Cue | undefined {
  return cues.find((cue) => seconds >= cue.startSeconds && seconds < cue.endSeconds);
}
