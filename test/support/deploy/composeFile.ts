import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';

export interface ComposeService {
  readonly image: string;
  readonly command?: string[];
  readonly environment?: Record<string, string>;
  readonly env_file?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: string[];
  readonly cap_add?: string[];
  readonly security_opt?: string[];
  readonly restart?: string;
  readonly volumes?: string[];
  readonly networks?: string[];
  readonly ports?: string[];
  readonly healthcheck?: { readonly test: string[] };
  readonly logging?: { readonly options: Record<string, string> };
  readonly deploy?: { readonly resources: { readonly limits: Record<string, string> } };
  readonly depends_on?: Record<string, { readonly condition: string }>;
}

export interface ComposeFile {
  readonly name: string;
  readonly services: Record<string, ComposeService>;
  readonly volumes: Record<string, unknown>;
  readonly networks: Record<string, { readonly internal?: boolean }>;
}

/** The compose file of a folder, with its variables replaced as compose does. @throws if a required one is missing */
export async function readCompose(
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<ComposeFile> {
  const text = await readFile(join(folder, 'compose.yaml'), 'utf8');
  const withoutComments = text.replaceAll(/^\s*#.*$/gm, '');
  const replaced = withoutComments.replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_all, name: string, kind: string | undefined, rest: string | undefined) => {
      const value = variables[name];
      if (value) return value;
      if (kind === '-') return rest ?? '';
      throw new Error(`${name}: ${rest ?? 'not set'}`);
    },
  );
  return load(replaced, { schema: CORE_SCHEMA.withTags(mergeTag) }) as ComposeFile;
}

/** The lines of a file that compose reads as variables. */
export async function readVariables(path: string): Promise<Record<string, string>> {
  const text = await readFile(path, 'utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
