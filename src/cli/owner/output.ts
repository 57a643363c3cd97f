import { stripVTControlCharacters } from 'node:util';

import { clockText } from '../../domain/shared/clockText.js';

const GAP = '  ';

/** Prints results: tables and lines for people, JSON for programs. */
export class Output {
  constructor(
    private readonly json: boolean,
    private readonly write: (text: string) => void,
  ) {}

  /** Rows under a header. Programs get `value`. */
  table(value: unknown, header: readonly string[], rows: readonly (readonly string[])[], none: string): void {
    if (this.json) this.value(value);
    else if (rows.length === 0) this.write(`${none}\n`);
    else {
      const lines = [header, ...rows].map((cells) => cells.map(readable));
      const widths = header.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)));
      for (const cells of lines) {
        this.write(
          `${cells
            .map((cell, column) => cell.padEnd(widths[column]!))
            .join(GAP)
            .trimEnd()}\n`,
        );
      }
    }
  }

  /** Names and values, one line each. Programs get `value`. */
  list(value: unknown, entries: readonly (readonly [name: string, text: string])[]): void {
    if (this.json) this.value(value);
    else {
      const width = Math.max(...entries.map(([name]) => name.length));
      for (const [name, text] of entries) this.write(`${name.padEnd(width)}${GAP}${readable(text)}\n`);
    }
  }

  /** One line for people. Programs get `value` on one line, too: some commands print them for as long as they run. */
  line(value: unknown, text: string): void {
    if (this.json) this.write(`${JSON.stringify(value)}\n`);
    else this.write(`${text.split('\n').map(readable).join('\n')}\n`);
  }

  private value(value: unknown): void {
    this.write(`${JSON.stringify(value, null, 2)}\n`);
  }
}

/** Removes control characters: a title may contain anything, and must not steer the terminal or leave its line. */
export function readable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return stripVTControlCharacters(text).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}

/** `1:02:03`, `2:03`; a dash if unknown. */
export function duration(seconds: number | null): string {
  return seconds === null ? '-' : clockText(Math.round(seconds) * 1_000);
}

export function bytes(count: number | null): string {
  if (count === null) return '-';
  if (count < 1e6) return `${Math.ceil(count / 1e3)} KB`;
  return count < 1e9 ? `${(count / 1e6).toFixed(1)} MB` : `${(count / 1e9).toFixed(2)} GB`;
}

/** `2026-05-04 09:30` in UTC. */
export function minute(rfc3339: string | null): string {
  return rfc3339 === null ? '-' : rfc3339.slice(0, 16).replace('T', ' ');
}

/** `720p` for `P720`, as in /v1 and in events. */
export function quality(name: string): string {
  return name === 'AUDIO' ? 'audio' : `${name.slice(1)}p`;
}
