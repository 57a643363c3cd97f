import { escapeHtml } from '../../../escapeHtml.js';
import type { Operation, Parameter } from './openapiTypes.js';

/** The field of the API key, which every form of the page uses. Hidden until the script runs. */
export const KEY_FIELD = `<section id="key" class="scripted" hidden>
<h2>Your API key</h2>
<p>Send requests from this page with a key of your account. The requests are real: each playback token counts against the
key’s daily quota. The key stays in this field until you leave the page, and only this service receives it.</p>
<label>API key <input id="api-key" type="password" autocomplete="off" spellcheck="false" placeholder="dk_…"></label>
</section>`;

/** The form that sends one operation, and the place where its response appears. Hidden until the script runs. */
export function requestForm(path: string, method: string, { summary, security, parameters }: Operation): string {
  const key = security.length > 0 ? ' data-key' : '';
  const name = escapeHtml(summary);
  return `<form class="scripted" hidden data-method="${method}" data-path="${escapeHtml(path)}"${key} aria-label="${name}">
<h3>Send a request</h3>
<div class="fields">${parameters.map(fieldOf).join('')}</div>
<button>Send</button>
<div class="response" hidden><p role="status"></p><pre tabindex="0" role="region" aria-label="Response: ${name}"></pre></div>
</form>`;
}

function fieldOf({ name, in: place, required, schema }: Parameter): string {
  const field = `name="${escapeHtml(name)}" data-in="${place}"${required ? ' required' : ''}`;
  const words = schema['enum'] as string[] | undefined;
  if (words === undefined) {
    const fallback = schema['default'];
    const shown = typeof fallback === 'number' ? ` placeholder="${fallback}"` : '';
    return `<label>${escapeHtml(name)} <input ${field} autocomplete="off" spellcheck="false"${shown}></label>`;
  }
  const options = ['', ...words].map((word) => `<option>${escapeHtml(word)}</option>`);
  return `<label>${escapeHtml(name)} <select ${field}>${options.join('')}</select></label>`;
}
