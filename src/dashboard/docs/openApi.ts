import { useEffect, useState } from 'react';

/** The part of the service's OpenAPI document that this page reads. */
export interface OpenApi {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly unknown[];
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly description: string;
  readonly content?: Readonly<
    Record<string, { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>
  >;
}

export interface Endpoint extends Operation {
  readonly path: string;
  readonly method: string;
}

/** The document, or why it could not be loaded. Requested once, however many parts of the page read it. */
export function useOpenApi(): { document: OpenApi | undefined; error: unknown; reload: () => void } {
  const [document, setDocument] = useState<OpenApi>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    read().then(setDocument, setError);
  }, []);

  function reload(): void {
    setError(undefined);
    read().then(setDocument, setError);
  }
  return { document, error, reload };
}

let asked: Promise<OpenApi> | undefined;

function read(): Promise<OpenApi> {
  asked ??= fetch('/openapi.json').then(
    (response) => response.json() as Promise<OpenApi>,
    (error: unknown) => {
      // The next reader requests it again.
      asked = undefined;
      throw error;
    },
  );
  return asked;
}

export function endpointsOf({ paths }: OpenApi): Endpoint[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
}

export interface ErrorCode {
  readonly code: string;
  readonly status: string;
  readonly meaning: string;
  /** The operations that respond with it, by their summaries. */
  readonly of: readonly string[];
}

/** A code in backticks, and the text about it up to the next one. */
const CODES = /`([A-Z][A-Z_]+)`(.*?)(?=(?:,? or)? `[A-Z][A-Z_]+`|$)/g;

/** Every error code in the operations' responses, by status. */
export function errorCodesOf(document: OpenApi): ErrorCode[] {
  const found = new Map<string, ErrorCode>();
  for (const { summary, responses } of endpointsOf(document)) {
    for (const [status, { description }] of Object.entries(responses)) {
      if (status < '400') continue;
      for (const [, code = '', said = ''] of description.matchAll(CODES)) {
        const known = found.get(code);
        const meaning = sentence(said.replace(/^[:,]\s*/, '').trim());
        found.set(code, {
          code,
          status,
          // Keep the longest description.
          meaning: known && known.meaning.length >= meaning.length ? known.meaning : meaning,
          of: [...(known?.of ?? []), summary],
        });
      }
    }
  }
  return [...found.values()].sort((a, b) => a.status.localeCompare(b.status) || a.code.localeCompare(b.code));
}

/** Without what joined it to the next code. */
function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1).replace(/[;,.]+$/, '');
}
