import { escapeHtml } from '../../../escapeHtml.js';

/** Renders a description of the document: paragraphs are separated by blank lines, and `code` is in backticks. */
export function prose(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('\n');
}

export function inline(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
