import { escapeHtml } from '../../escapeHtml.js';

/** HTML that is safe to put into a page. Only `html` creates it. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | readonly Html[] | null | false;

/** A template that escapes its values, unless they are Html; `null` and `false` become nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(parts.map((part, index) => (index === 0 ? part : render(values[index - 1] ?? null) + part)).join(''));
}

function render(value: Part): string {
  if (value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return value.map((part) => part.text).join('');
}
